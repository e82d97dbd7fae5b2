/** What a message says, wherever it says it: alert bots put everything into blocks and attachments. */
import { z } from 'zod';
import { type KnownNames, readTypedText } from './typed-text.ts';

const text = z.string().nullish().catch(undefined);
const blocks = z.array(z.unknown()).nullish().catch(undefined);

const attachmentSchema = z.looseObject({
  pretext: text,
  title: text,
  title_link: text,
  text,
  fallback: text,
  fields: z
    .array(z.looseObject({ title: text, value: text }))
    .nullish()
    .catch(undefined),
  blocks,
});

/** A message of history, an event or a shortcut: only what we read of it. */
export const slackMessageSchema = z.looseObject({
  ts: z.string(),
  thread_ts: z.string().optional(),
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

/** As plain text, in the order that people see it. Files are named with their links. */
export function messageText(message: SlackMessage, names?: KnownNames): string {
  const read = (written: string | null | undefined) => readTypedText(written ?? '', names).trim();
  const plain = read(message.text);
  const inBlocks = blocksText(message.blocks ?? [], read);
  // The text of a bot's message is often only what a notification shows.
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

type Read = (written: string) => string;

function blocksText(all: readonly unknown[], read: Read): string {
  return all
    .map((block) => pieces(block, read, 0).join(''))
    .map((line) => line.trim())
    .filter(Boolean)
    .join('\n');
}

const nodeSchema = z.looseObject({ type: z.string() });
/** Blocks nest a few levels; a payload that nests more is not from Slack. */
const deepest = 12;

/** Rich text is made of pieces of one line; everything else stands on lines of its own. */
function pieces(value: unknown, read: Read, depth: number): string[] {
  if (depth > deepest) return [];
  if (Array.isArray(value)) return value.flatMap((each) => pieces(each, read, depth + 1));
  const node = nodeSchema.safeParse(value).data;
  if (!node) return [];
  const own = (key: string) => (typeof node[key] === 'string' ? node[key] : '');
  switch (node.type) {
    case 'mrkdwn':
    case 'markdown':
      return [read(own('text')), '\n'];
    case 'plain_text':
      return [own('text'), '\n'];
    case 'text':
      return [own('text')];
    case 'link':
      return [own('text') ? `${own('text')} (${own('url')})` : own('url')];
    case 'user':
      return [read(`<@${own('user_id')}>`)];
    case 'channel':
      return [read(`<#${own('channel_id')}>`)];
    case 'emoji':
      return [`:${own('name')}:`];
    case 'broadcast':
      return [`@${own('range')}`];
    case 'image':
      return [own('alt_text'), '\n'];
    case 'actions':
      return [];
    default: {
      const inner = ['text', 'fields', 'elements', 'title', 'rows', 'columns'].flatMap((key) =>
        pieces(node[key], read, depth + 1),
      );
      return node.type.startsWith('rich_text_') ? [...inner, '\n'] : inner;
    }
  }
}
