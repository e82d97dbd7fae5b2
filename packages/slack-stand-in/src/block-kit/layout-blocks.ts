import { z } from 'zod';
import { actionsElement, contextElement, sectionAccessory } from './element-families.ts';
import { identifiable } from './element-fields.ts';
import { listOf, rule, textField, webUrlField } from './fields.ts';
import { limits } from './limits.ts';
import { phrases } from './phrases.ts';
import { anyText, plainText } from './text-objects.ts';

export const sectionBlock = z
  .strictObject({
    type: z.literal('section'),
    ...identifiable,
    text: anyText(limits.section.text.max_length).optional(),
    fields: listOf(anyText(limits.section.fields.item_max_length), {
      max: limits.section.fields.max_items,
    }).optional(),
    accessory: sectionAccessory.optional(),
    expand: z.boolean().optional(),
  })
  .superRefine(
    rule('type', ({ text, fields }) =>
      text === undefined && fields === undefined ? phrases.either('text', 'fields') : undefined,
    ),
  );

export const headerBlock = z.strictObject({
  type: z.literal('header'),
  ...identifiable,
  text: plainText(limits.header.text.max_length),
});

export const dividerBlock = z.strictObject({ type: z.literal('divider'), ...identifiable });

export const contextBlock = z.strictObject({
  type: z.literal('context'),
  ...identifiable,
  elements: listOf(contextElement, { max: limits.context.elements.max_items }),
});

export const actionsBlock = z.strictObject({
  type: z.literal('actions'),
  ...identifiable,
  elements: listOf(actionsElement, { max: limits.actions.elements.max_items }),
});

export const markdownBlock = z.strictObject({
  type: z.literal('markdown'),
  ...identifiable,
  text: textField({
    min: limits.markdown.text.min_length,
    max: limits.markdown.text.max_length,
  }),
});

/** Slack adds these to messages. Apps can read them but not send them. */
export const fileBlock = z.strictObject({
  type: z.literal('file'),
  ...identifiable,
  external_id: textField({ min: 1 }),
  source: z.literal('remote'),
});

const videoUrl = webUrlField({ max: 3000 });

export const videoBlock = z.strictObject({
  type: z.literal('video'),
  ...identifiable,
  alt_text: textField({
    min: limits.video.alt_text.min_length,
    max: limits.video.alt_text.max_length,
  }),
  title: plainText(limits.video.title.max_length),
  thumbnail_url: videoUrl,
  video_url: videoUrl,
  title_url: videoUrl.optional(),
  author_name: textField({ max: limits.video.author_name.max_length }).optional(),
  description: plainText(limits.video.description.max_length).optional(),
  provider_icon_url: videoUrl.optional(),
  provider_name: textField({ max: limits.video.provider_name.max_length }).optional(),
});
