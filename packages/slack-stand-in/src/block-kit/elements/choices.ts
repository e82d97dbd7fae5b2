import { formattedOption } from '../composition-objects.ts';
import { listOf, part, rule } from '../fields.ts';
import { limits } from '../limits.ts';
import { choosable } from './element-fields.ts';
import { isAmong } from './initial-options.ts';

/** Checkboxes and radio buttons. Initial options must be among the options. */
export const checkboxes = part('checkboxes', {
  ...choosable,
  options: listOf(formattedOption, limits.checkboxes.options),
  initial_options: listOf(formattedOption, limits.checkboxes.options).optional(),
}).superRefine(
  rule('initial_options', ({ options, initial_options = [] }) => isAmong(options, initial_options)),
);

export const radioButtons = part('radio_buttons', {
  ...choosable,
  options: listOf(formattedOption, limits.radio_buttons.options),
  initial_option: formattedOption.optional(),
}).superRefine(
  rule('initial_option', ({ options, initial_option: initial }) =>
    isAmong(options, initial ? [initial] : []),
  ),
);
