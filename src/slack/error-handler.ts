import { randomBytes } from 'node:crypto';
import type { App } from '@slack/bolt';
import { WebAPIPlatformError, type WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Logger } from '../lib/logger.ts';
import { escapeText } from './blocks.ts';
import { failureSentence } from './failure.ts';
import { AcknowledgementLost } from './lost-acknowledgements.ts';
import { readTypedText } from './typed-text.ts';
import { whatWas } from './what-was.ts';

/** Where in a payload the person and the channel stand differs by its kind. */
const whereSchema = z.object({
  command: z.string().optional(),
  text: z.string().optional(),
  user_id: z.string().optional(),
  user: z.object({ id: z.string() }).optional(),
  channel_id: z.string().optional(),
  channel: z.object({ id: z.string() }).optional(),
});

/**
 * The one handler of surprises: logs them under a short reference and tells the person the same reference. Payloads
 * are not logged: they hold prompts.
 */
export function registerErrorHandler(app: App, logger: Logger, client: WebClient): void {
  app.error(async ({ error, body }: { error: Error; body: unknown }) => {
    // Logged already, and nothing that anybody need hear of.
    if (error instanceof AcknowledgementLost) return;
    const where = whereSchema.safeParse(body).data;
    const what = whatWas(body);
    const reference = randomBytes(3).toString('hex');
    const isLate = isTooLate(error);
    if (isLate) logger.warn({ what }, 'Slack was answered too late to open a form');
    else logger.error({ err: error, reference, what }, 'a listener failed');
    const user = where?.user_id ?? where?.user?.id;
    if (!user) return;
    const text = isLate
      ? `⌛ ${failureSentence('too_late')}${typedAgain(where)}`
      : `⚠️ ${failureSentence('unexpected')} (reference ${reference})`;
    await tellPerson({ user, channel: where?.channel_id ?? where?.channel?.id, text }, reference);
  });

  /** In the channel, or where the app may not write there, directly. */
  async function tellPerson(
    { user, channel, text }: { user: string; channel: string | undefined; text: string },
    reference: string,
  ): Promise<void> {
    const inChannel = channel && (() => client.chat.postEphemeral({ channel, user, text }));
    const directly = () => client.chat.postMessage({ channel: user, text });
    for (const say of [...(inChannel ? [inChannel] : []), directly]) {
      try {
        await say();
        return;
      } catch (failure) {
        logger.warn({ err: failure, reference }, 'the person could not be told');
      }
    }
  }
}

const lateErrors = new Set(['expired_trigger_id', 'exchanged_trigger_id', 'invalid_trigger_id']);

const isTooLate = (error: Error) =>
  error instanceof WebAPIPlatformError && lateErrors.has(error.data.error);

/** Slack's client has cleared what was typed, so it is said again, to be copied. */
function typedAgain({
  command,
  text = '',
}: {
  command?: string | undefined;
  text?: string | undefined;
} = {}): string {
  const typed = readTypedText(text).trim();
  if (!command || !typed) return '';
  return `\n> ${escapeText(`${command} ${typed}`, 2_500).replace(/\n/g, '\n> ')}`;
}
