import { randomBytes } from 'node:crypto';
import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Logger } from '../lib/logger.ts';
import { failureSentence } from './failure.ts';

/** Where in a payload the person and the channel stand differs by its kind. */
const whereSchema = z.object({
  type: z.string().optional(),
  command: z.string().optional(),
  user_id: z.string().optional(),
  user: z.object({ id: z.string() }).optional(),
  channel_id: z.string().optional(),
  channel: z.object({ id: z.string() }).optional(),
  event: z.object({ type: z.string().optional() }).optional(),
});

/**
 * The one handler of surprises: logs them under a short reference and tells the person the same reference. Payloads
 * are not logged: they hold prompts.
 */
export function registerErrorHandler(app: App, logger: Logger, client: WebClient): void {
  app.error(async ({ error, body }: { error: Error; body: unknown }) => {
    const reference = randomBytes(3).toString('hex');
    const where = whereSchema.safeParse(body).data;
    const what = where?.command ?? where?.event?.type ?? where?.type;
    logger.error({ err: error, reference, what }, 'a listener failed');
    const user = where?.user_id ?? where?.user?.id;
    const channel = where?.channel_id ?? where?.channel?.id;
    if (!user) return;
    const text = `⚠️ ${failureSentence('unexpected')} (reference ${reference})`;
    try {
      if (channel) await client.chat.postEphemeral({ channel, user, text });
      else await client.chat.postMessage({ channel: user, text });
    } catch (failure) {
      logger.warn({ err: failure, reference }, 'the person could not be told');
    }
  });
}
