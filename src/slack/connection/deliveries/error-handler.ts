import { randomBytes } from 'node:crypto';
import { type App, type Context, RespondError } from '@slack/bolt';
import { StoreUnavailable } from 'base/database/store-unavailable';
import type { Logger } from 'base/logger';
import { z } from 'zod';
import type { SendPrivately } from '../../posting/post-privately.ts';
import { escapeText } from '../../text/escape-text.ts';
import { type FailureCode, failureSentence } from '../../text/failure.ts';
import { readTypedText } from '../../text/typed-text.ts';
import { deliveryKind } from './delivery-address.ts';
import { retryKept } from './kept-deliveries.ts';
import { listenerFailure } from './listener-failure.ts';
import { AcknowledgementLost } from './lost-acknowledgements.ts';

/** The fields for person and channel differ by the kind of payload. */
const whereSchema = z.object({
  command: z.string().optional(),
  text: z.string().optional(),
  user_id: z.string().optional(),
  user: z.object({ id: z.string() }).optional(),
  channel_id: z.string().optional(),
  channel: z.object({ id: z.string() }).optional(),
  container: z
    .object({ message_ts: z.string().optional(), thread_ts: z.string().optional() })
    .optional(),
  team_id: z.string().optional(),
  team: z.object({ id: z.string() }).nullish(),
});

type Failed = { error: Error; body: unknown; context: Context };

const openingSchema = z.object({ command: z.string().optional(), type: z.string().optional() });

/**
 * Handles all unexpected errors: logs them with a short reference, and shows the person the same reference. Payloads
 * aren't logged: they contain prompts.
 */
export function registerErrorHandler(
  app: App,
  logger: Logger,
  sendPrivatelyIn: (teamId: string) => SendPrivately,
): void {
  app.error(async ({ error, body, context }: Failed) => {
    // Already logged. Slack repeats the delivery or asks the person to.
    if (error instanceof AcknowledgementLost) return;
    const what = deliveryKind(body);
    // It was acknowledged, so it's still done: "Nothing was started" would be wrong.
    if (error instanceof StoreUnavailable && retryKept(context)) {
      logger.warn({ what, reason: error.message }, 'Not saved yet; it is tried again');
      return;
    }
    // Slack accepts answers to a click for half an hour, and five of them.
    if (error instanceof RespondError && error.statusCode === 404) {
      logger.info({ what }, "Couldn't answer, because Slack's address for answers has expired");
      return;
    }
    const where = whereSchema.safeParse(body).data;
    const reference = randomBytes(3).toString('hex');
    const { code, reason } = listenerFailure(error);
    const isOurs = code === 'unexpected';
    const teamId = where?.team_id ?? where?.team?.id;
    if (isOurs) logger.error({ err: error, reference, what, teamId }, 'A listener failed');
    else logger.warn({ code, reason, what, teamId }, "Couldn't answer a person");
    const user = where?.user_id ?? where?.user?.id;
    if (!user) return;
    const text = isOurs
      ? `⚠️ ${failureSentence(code)} (reference ${reference})`
      : `⌛ ${failureSentence(code)}${saysWhatNext.has(code) ? '' : whatNext(body)}${typedAgain(where)}`;
    await sendPrivatelyIn(context.teamId ?? '')(
      {
        user,
        channel: where?.channel_id ?? where?.channel?.id,
        threadTs: where?.container?.thread_ts,
        ts: where?.container?.message_ts,
        text,
      },
      { reference },
    );
  });
}

/** Failures with a sentence that says what to do next. */
const saysWhatNext = new Set<FailureCode>([
  'too_late',
  'outdated_view',
  'store_unavailable',
  'store_unsure',
]);

/** Commands and shortcuts only open something. The work of a button may be done already. */
function whatNext(body: unknown): string {
  const { command, type } = openingSchema.safeParse(body).data ?? {};
  const onlyOpens = command !== undefined || type === 'shortcut' || type === 'message_action';
  return onlyOpens
    ? ' Nothing was started or changed. Try again in a moment.'
    : ' Check whether it worked. If not, try again in a moment.';
}

/** What the person typed, to copy. Slack clears it from the message field. */
export function typedAgain({
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
