/** Reads the whole text of a message. Alert bots put everything into blocks and attachments. */
import { z } from 'zod';
import { type KnownNames, readTypedText } from './typed-text.ts';

const text = z.string().nullish().catch(undefined);
const blocks = z.array(z.unknown()).nullish().catch(undefined);

const attachmentSchema = z.looseObject({
  pretext: text,
  title: text,
  title_link: text,
  bot_id: text,
  /** ID of the author of a forwarded message. */
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

/** Schema of a message from history, an event or a shortcut, with the fields that we read. */
export const slackMessageSchema = z.looseObject({
  ts: z.string(),
  thread_ts: z.string().optional(),
  /** ID of the author of the first message in the thread. */
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

/**
 * Returns the `ts` of a reply's thread. Returns undefined for the first message of a thread, which may name its own
 * `ts`.
 */
export const readThreadTs = ({
  ts,
  thread_ts: threadTs,
}: {
  ts?: unknown;
  thread_ts?: unknown;
}): string | undefined => (typeof threadTs === 'string' && threadTs !== ts ? threadTs : undefined);

/** Returns plain text in the order in which people see it. Files become their names and links. */
export function messageText(message: SlackMessage, names?: KnownNames): string {
  const read = (written: string | null | undefined) => readTypedText(written ?? '', names).trim();
  const plain = read(message.text);
  const inBlocks = blocksText(message.blocks ?? [], read);
  // Prefer the blocks of a bot's message, because its `text` is often only the notification text.
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

/**
 * Returns the plain text of blocks.
 * @param read decodes Slack's encoding of a text
 */
export function blocksText(all: readonly unknown[], read: Read): string {
  return all
    .map((block) => pieces(block, read, 0).join(''))
    .map((text) => text.replace(/\n{3,}/g, '\n\n').trim())
    .filter(Boolean)
    .join('\n');
}

const nodeSchema = z.looseObject({ type: z.string().catch('') });
type Node = z.infer<typeof nodeSchema>;
/** Max depth of blocks to read. Slack nests them only a few levels. */
const deepest = 12;

/** Fields with text, in the order in which people see them. */
const members = [
  ...['title', 'subtitle', 'text', 'caption', 'description', 'body', 'fields', 'accessory'],
  ...['elements', 'child_blocks', 'rows', 'columns', 'details', 'output', 'sources', 'tasks'],
  ...['subtext', 'actions'],
];

/**
 * Returns the texts in a block and its children. Elements of rich text share a line, and every other text has its own.
 */
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
    case 'raw_text':
    case 'raw_number':
      return [own('text')];
    case 'link':
    case 'url':
      return [linkText(own('text'), own('url')), node.type === 'url' ? '\n' : ''];
    case 'user':
      return [read(`<@${own('user_id')}>`)];
    case 'usergroup':
      return [read(`<!subteam^${own('usergroup_id')}>`)];
    case 'channel':
      return [read(`<#${own('channel_id')}>`)];
    case 'emoji':
      return [`:${own('name')}:`];
    case 'broadcast':
      return [`@${own('range')}`];
    case 'date':
      return [own('fallback')];
    case 'image':
      return [own('alt_text'), '\n'];
    case 'table':
    case 'data_table':
      return [read(own('caption')), '\n', ...tableLines(node['rows'], read, depth + 1)];
    case 'button':
    case 'workflow_button':
    case 'icon_button':
      // Keep only a button's link, because the button does nothing outside Slack.
      return own('url') ? [linkText(labelOf(node), own('url')), '\n'] : [];
    default:
      return inner(node, read, depth);
  }
}

function inner(node: Node, read: Read, depth: number): string[] {
  const own = members.flatMap((key) => {
    const value = node[key];
    // Read titles that are plain strings. Skip a plain `text`, which belongs to an element that we don't know.
    if (typeof value === 'string') return key === 'text' ? [] : [read(value), '\n'];
    return pieces(value, read, depth + 1);
  });
  return node.type.startsWith('rich_text_') ? [...own, '\n'] : own;
}

function tableLines(rows: unknown, read: Read, depth: number): string[] {
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown) => {
    const cells = (Array.isArray(row) ? row : []).map((cell) =>
      pieces(cell, read, depth).join('').replace(/\s+/g, ' ').trim(),
    );
    return [cells.join(' | '), '\n'];
  });
}

const linkText = (text: string, url: string) => (text ? `${text} (${url})` : url);

const labelSchema = z.object({ text: z.string() });

const labelOf = ({ text }: Node): string => labelSchema.safeParse(text).data?.text ?? '';
