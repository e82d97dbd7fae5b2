/** Who, besides the creator of a run, may answer its agent: renders the fields and reads them back. */
import type { KnownBlock, PlainTextOption } from '@slack/types';
import {
  type FormState,
  option,
  optionLimits,
  readFormValue,
} from '../configuration/form-inputs.ts';
import type { UserGroup } from '../people/user-groups.ts';
import type { Answerers } from '../people/who-may-answer.ts';
import { plain } from '../text/blocks.ts';

type BlockOf = (field: string) => string;

export const groupsPicker = 'settings:answer-groups';

const mostNamed = 50;

/** @param groups that the app knows; others are shown by their ids */
export function renderAnswerFields(
  scope: 'channel' | 'workspace',
  block: BlockOf,
  answerers: Answerers,
  groups: readonly UserGroup[],
): KnownBlock[] {
  const people = answerers.people.slice(0, mostNamed);
  const named = answerers.groups
    .slice(0, mostNamed)
    .map((id): UserGroup => groups.find((group) => group.id === id) ?? { id, name: id });
  const hint =
    scope === 'channel'
      ? 'They can answer questions of agents in this channel, in place of those named for the workspace.'
      : 'They can answer questions of agents, and so allow commands. The creator of a run always can.';
  return [
    {
      type: 'input',
      block_id: block('answer_people'),
      label: plain('Who else can answer agents', 100),
      hint: plain(hint, 300),
      optional: true,
      element: {
        type: 'multi_users_select',
        action_id: 'value',
        placeholder: plain('Choose people', 150),
        max_selected_items: mostNamed,
        ...(people.length > 0 && { initial_users: people }),
      },
    },
    {
      type: 'input',
      block_id: block('answer_groups'),
      label: plain('User groups that can answer agents', 100),
      optional: true,
      element: {
        type: 'multi_external_select',
        action_id: groupsPicker,
        placeholder: plain('Choose user groups', 150),
        min_query_length: 0,
        max_selected_items: mostNamed,
        ...(named.length > 0 && { initial_options: named.map(toOption) }),
      },
    },
  ];
}

const toOption = ({ id, name }: UserGroup): PlainTextOption => option(name, id);

export const matchingGroups = (groups: readonly UserGroup[], typed: string): PlainTextOption[] =>
  groups
    .filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()))
    .slice(0, optionLimits.options)
    .map(toOption);

/** Undefined if the form doesn't have them. */
export function readAnswerFields(block: BlockOf, state: FormState): Answerers | undefined {
  if (readFormValue(state, block('answer_people')) === undefined) return undefined;
  const ids = (field: string) =>
    (readFormValue(state, block(field)) ?? '').split(',').filter((id) => slackId.test(id));
  return { people: ids('answer_people'), groups: ids('answer_groups') };
}

const slackId = /^[A-Z0-9]{2,30}$/;
