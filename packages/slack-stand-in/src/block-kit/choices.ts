import { z } from 'zod';
import { formattedOption } from './composition-objects.ts';
import { actionable, confirmable, focusable } from './element-fields.ts';
import { listOf, rule } from './fields.ts';
import { isAmong } from './initial-options.ts';
import { limits } from './limits.ts';

/** Checkboxes and radio buttons. Initial options must be among the options. */
export const checkboxes = z
  .strictObject({
    type: z.literal('checkboxes'),
    ...actionable,
    ...confirmable,
    ...focusable,
    options: listOf(formattedOption, {
      min: limits.checkboxes.options.min_items,
      max: limits.checkboxes.options.max_items,
    }),
    initial_options: listOf(formattedOption, {
      max: limits.checkboxes.options.max_items,
    }).optional(),
  })
  .superRefine(
    rule('initial_options', ({ options, initial_options = [] }) =>
      isAmong(options, initial_options),
    ),
  );

export const radioButtons = z
  .strictObject({
    type: z.literal('radio_buttons'),
    ...actionable,
    ...confirmable,
    ...focusable,
    options: listOf(formattedOption, {
      min: limits.radio_buttons.options.min_items,
      max: limits.radio_buttons.options.max_items,
    }),
    initial_option: formattedOption.optional(),
  })
  .superRefine(
    rule('initial_option', ({ options, initial_option: initial }) =>
      isAmong(options, initial ? [initial] : []),
    ),
  );
