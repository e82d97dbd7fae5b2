/** The whole text of a message. Alert bots put everything into blocks and attachments. */
import { z } from 'zod';
import { blocksText } from './blocks-text.ts';
import { type KnownNames, readTypedText } from './typed-text.ts';

const text = z.string().nullish().catch(undefined);
const blocks = z.array(z.unknown()).nullish().catch(undefined);

const attachmentSchema = z.looseObject({
  pretext: text,
  title: text,
  title_link: text,
  bot_id: text,
  /** Who wrote a message that is forwarded. */
  author_id: text,
  is_app_unfurl: z.boolean().nullish().catch(undefined),
  text,
  fallback: text,
  fields: z
    .array(z.looseObject({ title: text, value: text }))
    .nullish()
    .catch(undefined),
  blocks,
});

/** The fields that we read of a message from history, an event or a shortcut. */
export const slackMessageSchema = z.looseObject({
  ts: z.string(),
  thread_ts: z.string().optional(),
  /** Who wrote the first message of the thread. */
  parent_user_id: text,
  subtype: z.string().optional(),
  user: text,
  bot_id: text,
  username: text,
  bot_profile: z.looseObject({ name: text }).nullish().catch(undefined),
  text,
  blocks,
  attachments: z.array(attachmentSchema).nullish().catch(undefined),
  files: z
    .array(z.looseObject({ name: text, title: text, permalink: text }))
    .nullish()
    .catch(undefined),
});
export type SlackMessage = z.infer<typeof slackMessageSchema>;

/** The thread that a message is a reply in. The first message of a thread may name itself. */
export const readThreadTs = ({
  ts,
  thread_ts: threadTs,
}: {
  ts?: unknown;
  thread_ts?: unknown;
}): string | undefined => (typeof threadTs === 'string' && threadTs !== ts ? threadTs : undefined);

/** Plain text in the order in which people see it. Files become their names and links. */
export function messageText(message: SlackMessage, names?: KnownNames): string {
  const read = (written: string | null | undefined) => readTypedText(written ?? '', names).trim();
  const plain = read(message.text);
  const inBlocks = blocksText(message.blocks ?? [], read);
  // The `text` of a bot's message is often only the notification text.
  const body = !plain || (message.bot_id && inBlocks.length > plain.length) ? inBlocks : plain;
  const attached = (message.attachments ?? []).map((attachment) => {
    const { pretext, title, title_link: link, fields, fallback } = attachment;
    const lines = [
      read(pretext),
      [read(title), link].filter(Boolean).join(' '),
      read(attachment.text),
      ...(fields ?? []).map((field) => `${read(field.title)}: ${read(field.value)}`),
      blocksText(attachment.blocks ?? [], read),
    ].filter(Boolean);
    return lines.length > 0 ? lines.join('\n') : read(fallback);
  });
  const files = (message.files ?? []).map((file) =>
    ['File:', read(file.name ?? file.title), file.permalink].filter(Boolean).join(' '),
  );
  return [body, ...attached, ...files].filter(Boolean).join('\n');
}
