import { z } from 'zod';
import { identifiable } from './element-fields.ts';
import { listOf, textField, urlField } from './fields.ts';

/** Slack documents no counts for rich text. This one only bounds the work. */
const manyItems = { min: 0, max: 2000 };

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
const id = textField({ min: 1, max: 255 });

export const richTextText = z.strictObject({
  type: z.literal('text'),
  text: textField({ min: 1 }),
  ...styled,
});

const link = z.strictObject({
  type: z.literal('link'),
  url: urlField({ max: 3000 }),
  text: textField().optional(),
  unsafe: flag,
  ...styled,
});

export const richTextElement = z.discriminatedUnion('type', [
  richTextText,
  link,
  z.strictObject({
    type: z.literal('emoji'),
    name: textField({ min: 1 }),
    unicode: textField().optional(),
    url: urlField({ max: 3000 }).optional(),
    skin_tone: z.int().min(1).max(6).optional(),
    ...styled,
  }),
  z.strictObject({ type: z.literal('user'), user_id: id, ...styled }),
  z.strictObject({ type: z.literal('usergroup'), usergroup_id: id, ...styled }),
  z.strictObject({ type: z.literal('channel'), channel_id: id, ...styled }),
  z.strictObject({ type: z.literal('team'), team_id: id, ...styled }),
  z.strictObject({
    type: z.literal('broadcast'),
    range: z.enum(['here', 'channel', 'everyone']),
    ...styled,
  }),
  z.strictObject({
    type: z.literal('color'),
    value: z.string().regex(/^#[0-9a-fA-F]{6}$/),
    ...styled,
  }),
  z.strictObject({
    type: z.literal('date'),
    timestamp: z.int(),
    format: textField({ min: 1 }),
    url: urlField({ max: 3000 }).optional(),
    fallback: textField().optional(),
    ...styled,
  }),
]);

const bordered = { border: z.int().min(0).optional() };

const richTextSection = z.strictObject({
  type: z.literal('rich_text_section'),
  elements: listOf(richTextElement, manyItems),
});

/** The direct children of a rich_text block. */
export const richTextPart = z.discriminatedUnion('type', [
  richTextSection,
  z.strictObject({
    type: z.literal('rich_text_list'),
    elements: listOf(richTextSection, manyItems),
    style: z.enum(['bullet', 'ordered']),
    indent: z.int().min(0).max(8).optional(),
    offset: z.int().min(0).optional(),
    ...bordered,
  }),
  z.strictObject({
    type: z.literal('rich_text_quote'),
    elements: listOf(richTextElement, manyItems),
    ...bordered,
  }),
  z.strictObject({
    type: z.literal('rich_text_preformatted'),
    elements: listOf(z.discriminatedUnion('type', [richTextText, link]), manyItems),
    language: z.string().optional(),
    ...bordered,
  }),
]);

export const richTextBlock = z.strictObject({
  type: z.literal('rich_text'),
  ...identifiable,
  elements: listOf(richTextPart, manyItems),
});
