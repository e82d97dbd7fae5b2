import { z } from 'zod';
import { menuOption, optionGroup } from './composition-objects.ts';
import {
  actionable,
  confirmable,
  focusable,
  severalSelectable,
  withPlaceholder,
} from './element-fields.ts';
import { listOf, rule } from './fields.ts';
import { isAmong } from './initial-options.ts';
import { limits } from './limits.ts';
import { phrases } from './phrases.ts';

export const menu = { ...actionable, ...confirmable, ...focusable, ...withPlaceholder };

const choices = {
  options: listOf(menuOption, { max: limits.select.options.max_items }).optional(),
  option_groups: listOf(optionGroup, { max: limits.select.option_groups.max_items }).optional(),
};

type MenuOption = z.infer<typeof menuOption>;
type Choices = {
  options?: MenuOption[] | undefined;
  option_groups?: z.infer<typeof optionGroup>[] | undefined;
};

const oneSource = ({ options, option_groups: groups }: Choices) => {
  if (options && groups) return phrases.oneOnly('options', 'option_groups');
  return options || groups ? undefined : phrases.either('options', 'option_groups');
};

const allOptions = ({ options = [], option_groups: groups = [] }: Choices) => [
  ...options,
  ...groups.flatMap((group) => group.options),
];

export const staticSelect = z
  .strictObject({
    type: z.literal('static_select'),
    ...menu,
    ...choices,
    initial_option: menuOption.optional(),
  })
  .superRefine(rule(undefined, oneSource))
  .superRefine(
    rule('initial_option', (select) =>
      isAmong(allOptions(select), select.initial_option ? [select.initial_option] : []),
    ),
  );

const initialOptions = listOf(menuOption, { max: limits.select.options.max_items }).optional();

export const multiStaticSelect = z
  .strictObject({
    type: z.literal('multi_static_select'),
    ...menu,
    ...severalSelectable,
    ...choices,
    initial_options: initialOptions,
  })
  .superRefine(rule(undefined, oneSource))
  .superRefine(
    rule('initial_options', (select) => isAmong(allOptions(select), select.initial_options ?? [])),
  );

const searching = { min_query_length: z.int().min(0).optional() };

export const externalSelect = z.strictObject({
  type: z.literal('external_select'),
  ...menu,
  ...searching,
  initial_option: menuOption.optional(),
});

export const multiExternalSelect = z.strictObject({
  type: z.literal('multi_external_select'),
  ...menu,
  ...severalSelectable,
  ...searching,
  initial_options: initialOptions,
});
