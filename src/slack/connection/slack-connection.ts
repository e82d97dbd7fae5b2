import type { Server } from 'node:http';
import { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Logger } from 'base/logger';
import type { SlackDelivery } from '../../config/bot-config.ts';
import type { Inboxes } from '../../inbox/inbox.ts';
import type { Store } from '../../store/store.ts';
import type { SendPrivately } from '../posting/post-privately.ts';
import { createBoltLogger } from './bolt-logger.ts';
import type { OnSlackCall } from './calls/slack-fetch.ts';
import { listenerClientOptions } from './calls/web-client.ts';
import { answerEveryDelivery } from './deliveries/answer-deliveries.ts';
import { answerFailures } from './deliveries/answer-failures.ts';
import { registerErrorHandler } from './deliveries/error-handler.ts';
import { keepLateDeliveries } from './deliveries/kept-deliveries.ts';
import { callListeners, type ListenersToCall } from './deliveries/listeners.ts';
import { expectLostAcknowledgements } from './deliveries/lost-acknowledgements.ts';
import { ignoreRepeatedDeliveries } from './deliveries/repeated-deliveries.ts';
import { type OnDelivery, reportDeliveries } from './deliveries/report-deliveries.ts';
import type { AnswerHealth, ServePages } from './http/http-receiver.ts';
import type { Identity } from './installations/installation.ts';
import type { Installations } from './installations/installations.ts';
import {
  type CreateReceivers,
  createReceivers,
  type OnHello,
  startReceivers,
} from './receivers.ts';
import { watchWork } from './running-work.ts';

export type SlackConnectionParts = {
  apiUrl: string;
  installations: Installations;
  /** What a workspace has of its own. */
  workspaceOf(teamId: string): {
    /** For calls that a person waits for. */
    promptClient: WebClient;
    sendPrivately: SendPrivately;
  };
  delivery: SlackDelivery;
  /** By default, connections to Slack or an HTTP server. */
  receivers?: CreateReceivers | undefined;
  /** HTTP mode: a server that is already listening. */
  server?: Server | undefined;
  answerHealth?: AnswerHealth | undefined;
  onSlackCall?: OnSlackCall;
  onDelivery?: OnDelivery;
  onHello?: OnHello;
  /** For browsers, on the same port. */
  pages?: ServePages | undefined;
  /** Aborts when a stop no longer waits for Slack. */
  stopping: AbortSignal;
  /** How long an acknowledgement waits before its delivery is kept. */
  ackWaitMs: number;
  store: Pick<Store, 'deliveries'>;
  inboxes: Pick<Inboxes, 'of'>;
  /** Called for every delivery. Background work pauses during a burst of them. */
  requestArrived(): void;
  yieldToRequests(signal?: AbortSignal): Promise<void>;
  logger: Logger;
};

type Find = (body: object) => Promise<Identity | undefined>;

/** Bolt without listeners. */
function createBolt(parts: SlackConnectionParts, find: Find) {
  const logger = createBoltLogger(parts.logger);
  const create = parts.receivers ?? createReceivers;
  const receivers = create({ ...parts, logger });
  const app = new App({
    receiver: receivers[0],
    logger,
    // Without a token, Bolt makes no client: listeners get one that follows changes of the token.
    authorize: async (_source, body) => ({ ...(body && (await find(body))) }),
    clientOptions: listenerClientOptions(parts.apiUrl, parts.stopping, parts.onSlackCall),
    extendedErrorHandler: true,
    // Otherwise Bolt keeps state for every conversation, for a feature that the app doesn't use.
    convoStore: false,
  });
  for (const other of receivers.slice(1)) other.init(app);
  return { app, receivers };
}

/** Looks once for each delivery. */
function createFinder({ installations }: SlackConnectionParts): Find {
  const found = new WeakMap<object, Promise<Identity | undefined>>();
  return (body) => {
    const finding = found.get(body) ?? installations.find(body);
    found.set(body, finding);
    return finding;
  };
}

export type SlackConnection = ReturnType<typeof createSlackConnection>;

/** What all features share: deliveries from Slack to listeners, each handled once, with an answer for each failure. */
export function createSlackConnection(parts: SlackConnectionParts) {
  const { installations, store, logger, workspaceOf } = parts;
  const find = createFinder(parts);
  const { app, receivers } = createBolt(parts, find);
  const { takeTurn, afterwards, untilDone } = watchWork(app, parts);
  const sendPrivatelyIn = (teamId: string) => workspaceOf(teamId).sendPrivately;
  const keepLateOf = keepLateDeliveries(app, parts);
  answerFailures(app, logger);
  ignoreRepeatedDeliveries(app, store);
  registerErrorHandler(app, logger, sendPrivatelyIn);

  return {
    takeTurn,
    afterwards,

    /**
     * Call this before the start.
     * @param listenersOf those of a workspace
     * @param steps all workflow steps
     */
    listen(listenersOf: (teamId: string) => ListenersToCall, steps: readonly string[]): void {
      const teamIdOf = async (body: object) => (await find(body))?.teamId ?? '';
      const clientOf = (teamId: string) => workspaceOf(teamId).promptClient;
      callListeners(app, { of: listenersOf, teamIdOf, clientOf, steps });
      const { deliveries } = store;
      const answering = { find, listenersOf, sendPrivatelyIn, deliveries, afterwards, logger };
      answerEveryDelivery(app, answering);
      expectLostAcknowledgements(app, logger);
      if (parts.onDelivery) reportDeliveries(app, parts.onDelivery);
    },

    /** Makes a workspace ready to handle what was kept. */
    keepLateOf,

    /** Whether deliveries can arrive. */
    isConnected: () => receivers.some((each) => each.isConnected()),

    /**
     * Waits for Slack until the signal aborts.
     * @param beforeDeliveries called when it's known where the app is installed
     * @returns false when it was aborted
     */
    async start(signal: AbortSignal, beforeDeliveries: () => void): Promise<boolean> {
      const waiting = { signal, logger };
      const where = await installations.start(waiting);
      if (!where) return false;
      beforeDeliveries();
      await startReceivers(receivers, waiting);
      if (signal.aborted) return false;
      logger.info(where, 'Connected to Slack');
      return true;
    },

    /** Waits for running listeners and for the given parts of the app. */
    async stop(others: readonly { stop(): Promise<void> }[]): Promise<void> {
      await Promise.all([...receivers, ...others].map((each) => each.stop()));
      await untilDone();
    },
  };
}
