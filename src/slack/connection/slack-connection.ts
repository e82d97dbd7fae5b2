import type { Server } from 'node:http';
import { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { SlackDelivery } from '../../config/bot-config.ts';
import type { Inbox } from '../../inbox/inbox.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Store } from '../../store/store.ts';
import { createPrivateSender } from '../posting/send-privately.ts';
import { answerEveryDelivery } from './answer-deliveries.ts';
import { answerFailures } from './answer-failures.ts';
import { createBoltLogger } from './bolt-logger.ts';
import { registerErrorHandler } from './error-handler.ts';
import { type Identity, isForInstallation } from './installation.ts';
import { registerInstallationEvents } from './installation-events.ts';
import { keepLateDeliveries } from './kept-deliveries.ts';
import { createListeners, type Listeners } from './listeners.ts';
import { expectLostAcknowledgements } from './lost-acknowledgements.ts';
import { readIdentity } from './read-identity.ts';
import { createReceivers, startReceivers } from './receivers.ts';
import { ignoreRepeatedDeliveries } from './repeated-deliveries.ts';
import { watchWork } from './running-work.ts';
import type { TokenWatch } from './token-watch.ts';
import { listenerClientOptions } from './web-client.ts';

export type SlackConnectionParts = {
  botToken: string;
  apiUrl: string;
  client: WebClient;
  tokenWatch: TokenWatch;
  delivery: SlackDelivery;
  /** HTTP mode: a server that is already listening. */
  server?: Server | undefined;
  /** Aborts when a stop no longer waits for Slack. */
  stopping: AbortSignal;
  store: Pick<Store, 'deliveries' | 'owner' | 'views'>;
  inbox: Pick<Inbox, 'register'>;
  /** Called for every delivery. Background work pauses during a burst of them. */
  requestArrived(): void;
  yieldToRequests(signal?: AbortSignal): Promise<void>;
  logger: Logger;
};

/** Bolt without listeners. The identity is known once the app has started. */
function createBolt(parts: SlackConnectionParts, identity: () => Identity | undefined) {
  const logger = createBoltLogger(parts.logger);
  const receivers = createReceivers({ ...parts, logger });
  const app = new App({
    receiver: receivers[0],
    logger,
    authorize: async () => ({ botToken: parts.botToken, ...identity() }),
    clientOptions: listenerClientOptions(parts.apiUrl, parts.stopping),
    extendedErrorHandler: true,
    // Otherwise Bolt keeps state for every conversation, for a feature that the app doesn't use.
    convoStore: false,
  });
  for (const other of receivers.slice(1)) other.init(app);
  return { app, receivers };
}

/** What all features share: deliveries from Slack to listeners, each handled once, with an answer for each failure. */
export function createSlackConnection(parts: SlackConnectionParts) {
  const { client, store, logger } = parts;
  let identity: Identity | undefined;
  const botUserId = () => identity?.botUserId ?? '';
  const teamId = () => identity?.teamId ?? '';
  const { app, receivers } = createBolt(parts, () => identity);
  const { takeTurn, afterwards, untilDone } = watchWork(app, parts);
  keepLateDeliveries(app, parts.inbox);
  answerFailures(app, logger);
  ignoreRepeatedDeliveries(app, store);
  const sendPrivately = createPrivateSender(client, logger);
  registerErrorHandler(app, logger, sendPrivately);
  const listeners = createListeners(app);
  registerInstallationEvents(listeners, { ...parts, ...store, botUserId });

  return {
    listeners,
    takeTurn,
    afterwards,
    sendPrivately,
    botUserId,
    teamId,

    /** Call this when every listener is registered. */
    complete(routes: Parameters<Listeners['assertRoutes']>[0]): void {
      listeners.assertRoutes(routes);
      const isOurs = (body: unknown) => identity !== undefined && isForInstallation(body, identity);
      answerEveryDelivery(app, { isOurs, listeners, afterwards, sendPrivately, logger });
      expectLostAcknowledgements(app, logger);
    },

    /**
     * Waits for Slack until the signal aborts.
     * @param beforeDeliveries called when the identity is known
     * @returns false when it was aborted
     */
    async start(signal: AbortSignal, beforeDeliveries: () => void): Promise<boolean> {
      const waiting = { signal, logger };
      const me = await readIdentity(client, waiting);
      if (!me) return false;
      identity = {
        ...{
          teamId: me.team_id ?? '',
          ...(me.enterprise_id && { enterpriseId: me.enterprise_id }),
        },
        ...{ botId: me.bot_id ?? '', botUserId: me.user_id ?? '' },
      };
      await store.owner.claim(identity.teamId);
      beforeDeliveries();
      await startReceivers(receivers, waiting);
      if (signal.aborted) return false;
      logger.info({ team: me.team, teamId: me.team_id }, 'Connected to Slack');
      return true;
    },

    /** Waits for running listeners and for the given parts of the app. */
    async stop(others: readonly { stop(): Promise<void> }[]): Promise<void> {
      await Promise.all([...receivers, ...others].map((each) => each.stop()));
      await untilDone();
    },
  };
}
