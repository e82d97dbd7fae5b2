import type { Server } from 'node:http';
import { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Logger } from 'base/logger';
import type { SlackDelivery } from '../../config/bot-config.ts';
import type { Inboxes } from '../../inbox/inbox.ts';
import type { Deliveries } from '../../store/inbox/deliveries.ts';
import type { SendPrivately } from '../posting/post-privately.ts';
import { createBoltLogger } from './bolt-logger.ts';
import type { OnSlackCall } from './calls/slack-fetch.ts';
import { listenerClientOptions } from './calls/web-client.ts';
import { createKeeper } from './deliveries/acknowledge-in-time.ts';
import { readDelivery } from './deliveries/delivery.ts';
import type { ListenersToCall } from './deliveries/listeners.ts';
import type { OnDelivery } from './deliveries/pipeline.ts';
import { createPipeline } from './deliveries/pipeline.ts';
import type { AnswerHealth, ServePages } from './http-receiver.ts';
import type { Identity, Installations } from './installations/installations.ts';
import { waitForSlack } from './installations/wait-for-slack.ts';
import { type CreateReceivers, createReceivers } from './receivers.ts';
import { createRunningWork } from './running-work.ts';
import type { OnHello } from './socket-receiver.ts';

/** Callbacks for metrics and for `slash-agent check-slack`. */
export type SlackReports = {
  onSlackCall?: OnSlackCall;
  onDelivery?: OnDelivery;
  onHello?: OnHello;
};

export type SlackConnectionDeps = {
  apiUrl: string;
  installations: Installations;
  workspaceOf(teamId: string): { promptClient: WebClient; sendPrivately: SendPrivately };
  listenersOf(teamId: string): ListenersToCall;
  delivery: SlackDelivery;
  /** Creates receivers that replace the connections to Slack or the HTTP server. */
  receivers?: CreateReceivers | undefined;
  /** HTTP server to use in HTTP mode, which may be listening already. */
  server?: Server | undefined;
  answerHealth?: AnswerHealth | undefined;
  reports?: SlackReports | undefined;
  /** Pages for browsers, on the same port. */
  pages?: ServePages | undefined;
  /** Signal that aborts calls to Slack when stopping no longer waits for them. */
  stopping: AbortSignal;
  /** Max time that an acknowledgement waits before its delivery is stored, in ms. */
  ackWaitMs: number;
  deliveries: Deliveries;
  inboxes: Inboxes;
  logger: Logger;
};

/**
 * Creates a function that finds the installation of a delivery. Finds it only once, though several steps ask for it.
 */
function createFinder({ find }: Installations) {
  const found = new WeakMap<object, Promise<Identity | undefined>>();
  return (body: object) => {
    const finding = found.get(body) ?? find(body);
    found.set(body, finding);
    return finding;
  };
}

/** Connects Slack's deliveries to listeners. Each delivery is handled once, and each failure gets an answer. */
export function createSlackConnection(deps: SlackConnectionDeps) {
  const { apiUrl, installations, listenersOf, workspaceOf, deliveries, logger } = deps;
  const { onSlackCall, onDelivery, onHello } = deps.reports ?? {};
  const boltLogger = createBoltLogger(logger);
  const find = createFinder(installations);
  const running = createRunningWork(logger);
  const bolt = new App({
    // Give Bolt an empty receiver. The real receivers call the pipeline, which calls this app.
    receiver: { init: () => {}, start: async () => {}, stop: async () => {} },
    logger: boltLogger,
    // Return no token, so that Bolt makes no client. Listeners get a client that follows changes of the token.
    authorize: async (_source, body) => ({ ...(body && (await find(body))) }),
    clientOptions: listenerClientOptions(apiUrl, deps.stopping, onSlackCall),
    // Turn off Bolt's state for every conversation, because the app doesn't use it.
    convoStore: false,
  });
  const deliver = createPipeline({
    bolt,
    running,
    onDelivery,
    find,
    listenersOf,
    workspaceOf,
    deliveries,
    logger,
  });
  const keeper = createKeeper({
    register: (teamId, kind) => deps.inboxes.of(teamId).register('delivery', kind),
    ackWaitMs: deps.ackWaitMs,
    deliver: (event, kept) => deliver(readDelivery(event, kept)),
  });
  const receivers = (deps.receivers ?? createReceivers)({
    delivery: deps.delivery,
    apiUrl,
    stopping: deps.stopping,
    server: deps.server,
    answerHealth: deps.answerHealth,
    onSlackCall,
    onHello,
    pages: deps.pages,
    logger: boltLogger,
  });
  for (const receiver of receivers)
    receiver.init({
      processEvent: (event) => deliver(readDelivery(event, keeper.keepable(event.body))),
    });

  return {
    afterwards: running.afterwards,
    inTurn: running.inTurn,

    /** Prepares a workspace for handling its stored deliveries. */
    prepare: keeper.prepare,

    /** Returns true if deliveries can arrive. */
    isConnected: () => receivers.some((each) => each.isConnected()),

    /**
     * Connects to Slack, and waits while Slack can't be reached.
     * @param beforeDeliveries called when it's known where the app is installed
     * @returns false if the signal aborted first
     * @throws like {@link waitForSlack}, and when the port is in use
     */
    async start(signal: AbortSignal, beforeDeliveries: () => void): Promise<boolean> {
      const waiting = { signal, logger };
      const where = await installations.start(waiting);
      if (!where) return false;
      beforeDeliveries();
      const start = (each: (typeof receivers)[number]) =>
        waitForSlack(() => each.start(), 'SLACK_APP_TOKEN', waiting);
      await Promise.all(receivers.map(start));
      if (signal.aborted) return false;
      logger.info(where, 'Connected to Slack');
      return true;
    },

    /** Stops the receivers and `others`, then waits for running listeners. */
    async stop(others: readonly { stop(): Promise<void> }[]): Promise<void> {
      await Promise.all([...receivers, ...others].map((each) => each.stop()));
      await running.untilDone();
    },
  };
}
