import { z } from 'zod';
import { colorScheme, overflowOption, workflow } from './composition-objects.ts';
import { actionable, confirmable } from './element-fields.ts';
import { listOf, textField, urlField } from './fields.ts';
import { limits } from './limits.ts';
import { plainText } from './text-objects.ts';

const label = {
  text: plainText(limits.button.text.max_length),
  accessibility_label: textField({ max: limits.button.accessibility_label.max_length }).optional(),
};

export const button = z.strictObject({
  type: z.literal('button'),
  ...actionable,
  ...confirmable,
  ...label,
  url: urlField({ max: limits.button.url.max_length }).optional(),
  value: textField({ max: limits.button.value.max_length }).optional(),
  style: colorScheme.optional(),
});

export const workflowButton = z.strictObject({
  type: z.literal('workflow_button'),
  ...actionable,
  ...confirmable,
  ...label,
  workflow,
  style: colorScheme.optional(),
});

export const overflow = z.strictObject({
  type: z.literal('overflow'),
  ...actionable,
  ...confirmable,
  options: listOf(overflowOption, {
    min: limits.overflow.options.min_items,
    max: limits.overflow.options.max_items,
  }),
});

export const iconButton = z.strictObject({
  type: z.literal('icon_button'),
  ...actionable,
  ...confirmable,
  ...label,
  icon: textField({ min: 1 }),
  value: textField({ max: limits.button.value.max_length }).optional(),
  visible_to_user_ids: listOf(textField({ min: 1 }), {
    min: 0,
    max: limits.icon_button.visible_to_user_ids.max_items,
  }).optional(),
});

const feedbackButton = z.strictObject({
  text: plainText(limits.feedback_button.text.max_length),
  value: textField({ max: limits.feedback_button.value.max_length }),
  accessibility_label: textField({
    max: limits.feedback_button.accessibility_label.max_length,
  }).optional(),
});

export const feedbackButtons = z.strictObject({
  type: z.literal('feedback_buttons'),
  ...actionable,
  positive_button: feedbackButton,
  negative_button: feedbackButton,
});
