/** Renders inputs that only the form of a rule has. */
import type { InputBlock, PlainTextOption } from '@slack/types';
import { capExample } from '../../policy/cap-text.ts';
import type { Rule } from '../../policy/policy.ts';
import type { UserGroup } from '../people/user-groups.ts';
import { input, plain, textInput } from '../text/blocks.ts';
import { maxSelected, option, optionLimits } from '../text/form-inputs.ts';
import { ruleIds, subjectLabels } from './rules-view.ts';

const pickInput = (blockId: string, label: string, element: InputBlock['element']) =>
  input({ blockId, label, optional: true }, element);

/**
 * Renders the input for user groups.
 * @param known groups with names. Other groups are shown by their IDs.
 */
export function groupsInput(
  blockId: string,
  label: string,
  { ids, known }: { ids: readonly string[]; known: readonly UserGroup[] },
): InputBlock {
  const named = ids
    .slice(0, maxSelected)
    .map((id): UserGroup => known.find((group) => group.id === id) ?? { id, name: id });
  return pickInput(blockId, label, {
    type: 'multi_external_select',
    action_id: ruleIds.groups,
    placeholder: plain('Choose user groups', 150),
    min_query_length: 0,
    max_selected_items: maxSelected,
    ...(named.length > 0 && { initial_options: named.map(toOption) }),
  });
}

export const channelsInput = (blockId: string, label: string, ids: readonly string[]): InputBlock =>
  pickInput(blockId, label, {
    type: 'multi_conversations_select',
    action_id: 'value',
    placeholder: plain('Choose channels', 150),
    max_selected_items: maxSelected,
    filter: { include: ['public', 'private', 'mpim'] },
    ...(ids.length > 0 && { initial_conversations: ids.slice(0, maxSelected) }),
  });

const toOption = ({ id, name }: UserGroup): PlainTextOption => option(name, id);

export const matchingGroups = (groups: readonly UserGroup[], typed: string): PlainTextOption[] =>
  groups
    .filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()))
    .slice(0, optionLimits.options)
    .map(toOption);

/** Caps of a period. Their values are texts, such as "$50 per week". */
export const capFields = [
  'person_cap',
  'channel_cap',
  'group_cap',
  'environment_cap',
  'workspace_cap',
] as const;

const capHints: Partial<Record<(typeof capFields)[number], string>> = {
  group_cap: 'For each user group above, all its members together.',
};

const hasPeriodCap = (rule: Rule) => capFields.some((field) => rule[field] !== undefined);

/**
 * Renders the inputs for caps.
 * @param timeZone time zone that a rule gets with its first cap
 */
export const capsInputs = (rule: Rule | undefined, timeZone: string): InputBlock[] => [
  textInput({
    blockId: 'run_cap',
    label: subjectLabels.run_cap,
    value: rule?.run_cap?.toString(),
    placeholder: '5',
    optional: true,
    maxLength: 12,
  }),
  ...capFields.map((field) =>
    textInput({
      blockId: field,
      label: subjectLabels[field],
      value: rule?.[field],
      placeholder: capExample,
      hint: capHints[field],
      optional: true,
      maxLength: 40,
    }),
  ),
  textInput({
    blockId: 'time_zone',
    label: 'Time zone',
    // Without a time zone, existing caps mean UTC, so keep the field empty.
    value: rule?.time_zone ?? (rule && hasPeriodCap(rule) ? undefined : timeZone),
    hint: 'Days, weeks and months of caps start in this time zone. Without one: UTC.',
    optional: true,
    maxLength: 64,
  }),
];
