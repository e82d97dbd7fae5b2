import { randomBytes } from 'node:crypto';
import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { Logger } from '../../lib/logger.ts';
import type { TellPerson } from '../posting/tell-person.ts';
import { escapeText } from '../text/blocks.ts';
import { type FailureCode, failureSentence } from '../text/failure.ts';
import { readTypedText } from '../text/typed-text.ts';
import { whatWas } from './describe-delivery.ts';
import { listenerTrouble } from './listener-trouble.ts';
import { AcknowledgementLost } from './lost-acknowledgements.ts';

/** Where in a payload the person and the channel stand differs by its kind. */
const whereSchema = z.object({
  command: z.string().optional(),
  text: z.string().optional(),
  user_id: z.string().optional(),
  user: z.object({ id: z.string() }).optional(),
  channel_id: z.string().optional(),
  channel: z.object({ id: z.string() }).optional(),
});

const openingSchema = z.object({ command: z.string().optional(), type: z.string().optional() });

/**
 * The one handler of surprises: logs them under a short reference and tells the person the same reference. Payloads
 * are not logged: they hold prompts.
 */
export function registerErrorHandler(app: App, logger: Logger, tellPerson: TellPerson): void {
  app.error(async ({ error, body }: { error: Error; body: unknown }) => {
    // Logged already, and nothing that anybody need hear of.
    if (error instanceof AcknowledgementLost) return;
    const where = whereSchema.safeParse(body).data;
    const what = whatWas(body);
    const reference = randomBytes(3).toString('hex');
    const { code, reason } = listenerTrouble(error);
    const isOurs = code === 'unexpected';
    if (isOurs) logger.error({ err: error, reference, what }, 'a listener failed');
    else logger.warn({ code, reason, what }, 'a person was not answered');
    const user = where?.user_id ?? where?.user?.id;
    if (!user) return;
    const text = isOurs
      ? `⚠️ ${failureSentence(code)} (reference ${reference})`
      : `⌛ ${failureSentence(code)}${saysWhatNext.has(code) ? '' : whatNext(body)}${typedAgain(where)}`;
    await tellPerson(
      { user, channel: where?.channel_id ?? where?.channel?.id, text },
      { reference },
    );
  });
}

/** Their sentences say it. */
const saysWhatNext = new Set<FailureCode>([
  'too_late',
  'outdated_view',
  'store_away',
  'store_unsure',
]);

/** What was begun by a command or shortcut only opens something; a button may have done its work already. */
function whatNext(body: unknown): string {
  const { command, type } = openingSchema.safeParse(body).data ?? {};
  const onlyOpens = command !== undefined || type === 'shortcut' || type === 'message_action';
  return onlyOpens
    ? ' Nothing was started or changed: do it again in a moment.'
    : ' Look whether what you wanted has happened; if not, do it again in a moment.';
}

/** Slack's client has cleared what was typed, so it is said again, to be copied. */
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
