import type { BotConfig } from '../../config/bot-config.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Store } from '../../store/store.ts';
import type { SlackClock } from '../posting/slack-clock.ts';
import { fixedToken, type Installations } from './installations.ts';
import { createSingleInstallation } from './single-installation.ts';
import { createWebClient } from './web-client.ts';

type CallParts = { apiUrl: string; clock: SlackClock; stopping: AbortSignal; logger: Logger };

/** One workspace by its token, or many by OAuth. */
export function createInstallations(
  { botToken }: BotConfig['slack'],
  { owner, ...calling }: CallParts & Pick<Store, 'owner'>,
): Installations {
  const client = createWebClient({ ...calling, tokens: fixedToken(botToken) });
  return createSingleInstallation({ botToken, client, owner });
}
