import { z } from 'zod';
import { confirmation, dispatchActionConfig } from '../composition-objects.ts';
import { part, textField } from '../fields.ts';
import { limits } from '../limits.ts';
import { plainText } from '../text-objects.ts';

/** Shared fields of elements. */
export const actionable = {
  action_id: textField({ min_length: 1, ...limits.action_id }).optional(),
};
export const confirmable = { confirm: confirmation.optional() };
export const focusable = { focus_on_load: z.boolean().optional() };
/** Fields of elements with options. */
export const choosable = { ...actionable, ...confirmable, ...focusable };
export const withPlaceholder = { placeholder: plainText(limits.select.placeholder).optional() };
export const dispatching = { dispatch_action_config: dispatchActionConfig.optional() };
export const severalSelectable = { max_selected_items: z.int().min(1).optional() };

const blockId = textField({ min_length: 1, ...limits.block_id }).optional();

/** Every block can have an id. */
export const blockPart = <Type extends string, Shape extends z.ZodRawShape>(
  type: Type,
  shape: Shape,
) => part(type, { block_id: blockId, ...shape });
