import { App, type AppOptions } from '@slack/bolt';
import { createLogger } from 'base/logger';
import { createBoltLogger } from '../../src/slack/connection/bolt-logger.ts';

/** Creates a Bolt app without a connection to Slack. Tests pass deliveries to `processEvent`. */
export const createBoltApp = (options: AppOptions = {}): App =>
  new App({
    receiver: { init: () => {}, start: async () => {}, stop: async () => {} },
    logger: createBoltLogger(createLogger('silent')),
    authorize: async () => ({ botToken: 'xoxb-1', botId: 'B1', botUserId: 'U1' }),
    convoStore: false,
    ...options,
  });
