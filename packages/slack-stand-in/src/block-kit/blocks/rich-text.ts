import { z } from 'zod';
import { blockPart } from '../composition-objects.ts';
import { listOf, part, textField, urlField } from '../fields.ts';

/** Max number of elements in rich text. Slack documents no limit; this limit only keeps checks fast. */
const manyItems = { min_items: 0, max_items: 2000 };

const flag = z.boolean().optional();

const styled = {
  style: z
    .strictObject({
      bold: flag,
      italic: flag,
      strike: flag,
      code: flag,
      underline: flag,
      highlight: flag,
      client_highlight: flag,
      unlink: flag,
    })
    .optional(),
};

const id = textField({ min_length: 1, max_length: 255 });
const url = urlField({ max_length: 3000 });
const text = textField({ min_length: 1 });

export const richTextText = part('text', { text, ...styled });

const link = part('link', { url, text: textField().optional(), unsafe: flag, ...styled });

export const richTextElement = z.discriminatedUnion('type', [
  richTextText,
  link,
  part('emoji', {
    name: text,
    unicode: textField().optional(),
    url: url.optional(),
    skin_tone: z.int().min(1).max(6).optional(),
    ...styled,
  }),
  part('user', { user_id: id, ...styled }),
  part('usergroup', { usergroup_id: id, ...styled }),
  part('channel', { channel_id: id, ...styled }),
  part('team', { team_id: id, ...styled }),
  part('broadcast', { range: z.enum(['here', 'channel', 'everyone']), ...styled }),
  part('color', { value: z.string().regex(/^#[0-9a-fA-F]{6}$/), ...styled }),
  part('date', {
    timestamp: z.int(),
    format: text,
    url: url.optional(),
    fallback: textField().optional(),
    ...styled,
  }),
]);

const bordered = { border: z.int().min(0).optional() };

const richTextSection = part('rich_text_section', { elements: listOf(richTextElement, manyItems) });

/** Schema of the direct children of a rich_text block. */
export const richTextPart = z.discriminatedUnion('type', [
  richTextSection,
  part('rich_text_list', {
    elements: listOf(richTextSection, manyItems),
    style: z.enum(['bullet', 'ordered']),
    indent: z.int().min(0).max(8).optional(),
    offset: z.int().min(0).optional(),
    ...bordered,
  }),
  part('rich_text_quote', { elements: listOf(richTextElement, manyItems), ...bordered }),
  part('rich_text_preformatted', {
    elements: listOf(z.discriminatedUnion('type', [richTextText, link]), manyItems),
    language: z.string().optional(),
    ...bordered,
  }),
]);

export const richTextBlock = blockPart('rich_text', { elements: listOf(richTextPart, manyItems) });
