import { z } from 'zod';
import { confirmation, dispatchActionConfig } from './composition-objects.ts';
import { textField } from './fields.ts';
import { limits } from './limits.ts';
import { plainText } from './text-objects.ts';

/** Shared fields of elements. */
export const actionable = {
  action_id: textField({ min: 1, max: limits.action_id.max_length }).optional(),
};

export const confirmable = { confirm: confirmation.optional() };

export const focusable = { focus_on_load: z.boolean().optional() };

export const withPlaceholder = {
  placeholder: plainText(limits.select.placeholder.max_length).optional(),
};

export const dispatching = { dispatch_action_config: dispatchActionConfig.optional() };

export const severalSelectable = { max_selected_items: z.int().min(1).optional() };

export const identifiable = {
  block_id: textField({ min: 1, max: limits.block_id.max_length }).optional(),
};
