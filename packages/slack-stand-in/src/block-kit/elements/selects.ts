import { z } from 'zod';
import {
  choosable,
  conversationFilter,
  formattedOption,
  menuOption,
  optionGroup,
  severalSelectable,
  withPlaceholder,
} from '../composition-objects.ts';
import { listOf, part, rule, textField } from '../fields.ts';
import { limits } from '../limits.ts';
import { phrases } from '../phrases.ts';

type Option = {
  value: string;
  text: { text: string };
  description?: { text: string } | undefined;
};

/**
 * Checks that every initial option equals one of the options, including text and description. Returns Slack's wording
 * of the problem, or undefined.
 */
function isAmong(options: readonly Option[], initial: readonly Option[]): string | undefined {
  const offered = new Set(options.map(write));
  if (initial.every((option) => offered.has(write(option)))) return undefined;
  return initial.length === 1
    ? 'initial option must match one of the options'
    : 'initial options must match the options';
}

const write = ({ value, text, description }: Option) =>
  JSON.stringify([value, text.text, description?.text ?? null]);

const menu = { ...choosable, ...withPlaceholder };

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

const slackId = textField({ min_length: 1, max_length: 255 });
const slackIds = listOf(slackId, { max_items: 100 }).optional();

const responding = { response_url_enabled: z.boolean().optional() };

const conversations = {
  default_to_current_conversation: z.boolean().optional(),
  filter: conversationFilter.optional(),
};

const several = { ...menu, ...severalSelectable };

export const usersSelect = part('users_select', { ...menu, initial_user: slackId.optional() });

export const multiUsersSelect = part('multi_users_select', { ...several, initial_users: slackIds });

export const conversationsSelect = part('conversations_select', {
  ...menu,
  ...responding,
  ...conversations,
  initial_conversation: slackId.optional(),
});

export const multiConversationsSelect = part('multi_conversations_select', {
  ...several,
  ...conversations,
  initial_conversations: slackIds,
});

export const channelsSelect = part('channels_select', {
  ...menu,
  ...responding,
  initial_channel: slackId.optional(),
});

export const multiChannelsSelect = part('multi_channels_select', {
  ...several,
  initial_channels: slackIds,
});

/** Schema of checkboxes and radio buttons, whose initial options must be among the options. */
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
