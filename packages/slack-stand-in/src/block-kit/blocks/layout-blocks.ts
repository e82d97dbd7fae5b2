import { z } from 'zod';
import { blockPart } from '../composition-objects.ts';
import {
  actionsElement,
  contextElement,
  inputElement,
  modalInputElement,
  sectionAccessory,
} from '../elements/element-families.ts';
import { listOf, rule, textField, webUrlField } from '../fields.ts';
import { limits } from '../limits.ts';
import { phrases } from '../phrases.ts';
import { anyText, plainText } from '../text-objects.ts';

const { fields } = limits.section;

export const sectionBlock = blockPart('section', {
  text: anyText(limits.section.text).optional(),
  fields: listOf(anyText({ max_length: fields.item_max_length }), fields).optional(),
  accessory: sectionAccessory.optional(),
  expand: z.boolean().optional(),
}).superRefine(
  rule('type', (section) =>
    section.text === undefined && section.fields === undefined
      ? phrases.either('text', 'fields')
      : undefined,
  ),
);

export const headerBlock = blockPart('header', { text: plainText(limits.header.text) });

export const dividerBlock = blockPart('divider', {});

export const contextBlock = blockPart('context', {
  elements: listOf(contextElement, limits.context.elements),
});

export const actionsBlock = blockPart('actions', {
  elements: listOf(actionsElement, limits.actions.elements),
});

export const markdownBlock = blockPart('markdown', { text: textField(limits.markdown.text) });

/** Schema of file blocks, which only Slack adds to messages. Apps can read them but not send them. */
export const fileBlock = blockPart('file', {
  external_id: textField({ min_length: 1 }),
  source: z.literal('remote'),
});

const videoUrl = webUrlField({ max_length: 3000 });

export const videoBlock = blockPart('video', {
  alt_text: textField(limits.video.alt_text),
  title: plainText(limits.video.title),
  thumbnail_url: videoUrl,
  video_url: videoUrl,
  title_url: videoUrl.optional(),
  author_name: textField(limits.video.author_name).optional(),
  description: plainText(limits.video.description).optional(),
  provider_icon_url: videoUrl.optional(),
  provider_name: textField(limits.video.provider_name).optional(),
});

const around = {
  label: plainText(limits.input.label),
  hint: plainText(limits.input.hint).optional(),
  optional: z.boolean().optional(),
  dispatch_action: z.boolean().optional(),
};

export const inputBlock = blockPart('input', { ...around, element: inputElement });
export const modalInputBlock = blockPart('input', { ...around, element: modalInputElement });
