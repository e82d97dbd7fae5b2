import type { Logger } from 'base/logger';
import { createHookServer } from '../automations/webhook/answer-hooks.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { Store } from '../store/store.ts';
import type { Health } from './health.ts';

type HooksDeps = {
  store: Pick<Store, 'automations' | 'firings'>;
  /** Undefined if the bot listens on no port. */
  health: Health | undefined;
  /** Called after a delivery is stored. */
  wake(): void;
  logger: Logger;
};

/** Creates the function that answers webhooks on the bot's port, and the address that their senders need. */
export function createHooks({ publicUrl }: BotConfig, { store, health, wake, logger }: HooksDeps) {
  const { automations, firings } = store;
  return {
    answer: createHookServer({ automations, firings, wake, logger }),
    address: { publicUrl, isServed: health !== undefined },
  };
}
