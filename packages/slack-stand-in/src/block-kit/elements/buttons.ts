import { z } from 'zod';
import {
  actionable,
  colorScheme,
  confirmable,
  overflowOption,
  workflow,
} from '../composition-objects.ts';
import { listOf, part, textField, urlField } from '../fields.ts';
import { limits } from '../limits.ts';
import { plainText } from '../text-objects.ts';

const label = {
  text: plainText(limits.button.text),
  accessibility_label: textField(limits.button.accessibility_label).optional(),
};

const pressed = { ...actionable, ...confirmable, ...label };
const value = textField(limits.button.value).optional();

export const button = part('button', {
  ...pressed,
  url: urlField(limits.button.url).optional(),
  value,
  style: colorScheme.optional(),
});

export const workflowButton = part('workflow_button', {
  ...pressed,
  workflow,
  style: colorScheme.optional(),
});

export const overflow = part('overflow', {
  ...actionable,
  ...confirmable,
  options: listOf(overflowOption, limits.overflow.options),
});

export const iconButton = part('icon_button', {
  ...pressed,
  icon: textField({ min_length: 1 }),
  value,
  visible_to_user_ids: listOf(textField({ min_length: 1 }), {
    min_items: 0,
    ...limits.icon_button.visible_to_user_ids,
  }).optional(),
});

const feedbackButton = z.strictObject({
  text: plainText(limits.feedback_button.text),
  value: textField(limits.feedback_button.value),
  accessibility_label: textField(limits.feedback_button.accessibility_label).optional(),
});

export const feedbackButtons = part('feedback_buttons', {
  ...actionable,
  positive_button: feedbackButton,
  negative_button: feedbackButton,
});
