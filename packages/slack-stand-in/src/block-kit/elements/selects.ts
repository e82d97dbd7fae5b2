import { z } from 'zod';
import { menuOption, optionGroup } from '../composition-objects.ts';
import { listOf, part, rule } from '../fields.ts';
import { limits } from '../limits.ts';
import { phrases } from '../phrases.ts';
import { choosable, severalSelectable, withPlaceholder } from './element-fields.ts';
import { isAmong } from './initial-options.ts';

export const menu = { ...choosable, ...withPlaceholder };

const menuOptions = listOf(menuOption, limits.select.options).optional();

const choices = {
  options: menuOptions,
  option_groups: listOf(optionGroup, limits.select.option_groups).optional(),
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

export const staticSelect = part('static_select', {
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

export const multiStaticSelect = part('multi_static_select', {
  ...menu,
  ...severalSelectable,
  ...choices,
  initial_options: menuOptions,
})
  .superRefine(rule(undefined, oneSource))
  .superRefine(
    rule('initial_options', (select) => isAmong(allOptions(select), select.initial_options ?? [])),
  );

const searching = { min_query_length: z.int().min(0).optional() };

export const externalSelect = part('external_select', {
  ...menu,
  ...searching,
  initial_option: menuOption.optional(),
});

export const multiExternalSelect = part('multi_external_select', {
  ...menu,
  ...severalSelectable,
  ...searching,
  initial_options: menuOptions,
});
