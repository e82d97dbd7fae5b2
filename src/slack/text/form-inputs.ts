/** Builds form inputs. Read their values with {@link readFormValue}. */
import type { ViewOutput } from '@slack/bolt';
import type { InputBlock, PlainTextElement, PlainTextOption } from '@slack/types';
import { input, type Labeled, plain, textInput } from './blocks.ts';
import { limits, shorten } from './escape-text.ts';

/** Slack's limits of options: https://docs.slack.dev/reference/block-kit/composition-objects/option-object */
export const optionLimits = { text: 75, value: 150, group: 75, options: 100 } as const;

export const option = (text: string, value: string, description?: string): PlainTextOption => ({
  text: plain(text, optionLimits.text),
  value,
  ...(description && { description: plain(description, optionLimits.text) }),
});

type PickerOptions = Labeled & {
  actionId: string;
  placeholder: string;
  /** Value that is selected when the form opens. */
  value?: { id: string; name?: string | undefined } | undefined;
};

export const idLimit = 255;

export const fitsOption = (id: string): boolean => [...id].length <= optionLimits.value;

/** Renders a text input for an ID that is too long for a picker. */
export const longIdInput = ({ blockId, label, hint, id }: Labeled & { id: string }): InputBlock =>
  textInput({ blockId, label, hint, value: id, optional: true, maxLength: idLimit });

/**
 * Renders a picker for an ID, with options from the app's search. The search must always offer the typed text as well.
 */
export function searchInput(options: PickerOptions): InputBlock {
  const { actionId, placeholder, value } = options;
  if (value && !fitsOption(value.id)) return longIdInput({ ...options, id: value.id });
  const element = {
    type: 'external_select' as const,
    action_id: actionId,
    min_query_length: 0,
    placeholder: plain(placeholder, 150),
    ...(value && { initial_option: option(value.name ?? value.id, value.id) }),
  };
  return input({ ...options, optional: true }, element);
}

export const channelInput = (options: Labeled & { channelId: string | undefined }): InputBlock =>
  input(options, {
    type: 'conversations_select',
    action_id: 'value',
    filter: { include: ['public', 'private', 'mpim', 'im'] },
    ...(options.channelId
      ? { initial_conversation: options.channelId }
      : // Select the channel that the person is viewing, if any.
        { default_to_current_conversation: true }),
  });

/** Max people, channels or groups in a picker. */
export const maxSelected = 50;

export const peopleInput = ({
  ids,
  ...labeled
}: Labeled & { ids: readonly string[] }): InputBlock =>
  input(
    { ...labeled, optional: true },
    {
      type: 'multi_users_select',
      action_id: 'value',
      placeholder: plain('Choose people', 150),
      max_selected_items: maxSelected,
      ...(ids.length > 0 && { initial_users: ids.slice(0, maxSelected) }),
    },
  );

export type ListedChoice = { value: string; text: string };

/** Renders a picker with a few choices. One of them is always selected, initially `value`. */
export function selectInput(
  options: Labeled & { choices: readonly ListedChoice[]; value: string },
): InputBlock {
  const { choices, value } = options;
  const picked = choices.find((choice) => choice.value === value) ?? choices[0];
  return input(options, {
    type: 'static_select',
    action_id: 'value',
    options: choices.map((choice) => option(choice.text, choice.value)),
    ...(picked && { initial_option: option(picked.text, picked.value) }),
  });
}

export function checkboxInput(
  options: Labeled & { boxes: readonly (ListedChoice & { isChecked: boolean })[] },
): InputBlock {
  const all = options.boxes.map(({ text, value }) => option(text, value));
  const checked = all.filter((_, index) => options.boxes[index]?.isChecked);
  const element = {
    type: 'checkboxes' as const,
    action_id: 'value',
    options: all,
    ...(checked.length > 0 && { initial_options: checked }),
  };
  return input({ ...options, optional: true }, element);
}

/** Renders a picker of any number of choices. `values` are the ones that are selected initially. */
export function listInput(
  options: Labeled & {
    choices: readonly ListedChoice[];
    values?: readonly string[] | undefined;
    placeholder?: string;
  },
): InputBlock {
  const { choices, values = [], placeholder } = options;
  const all = choices.map(({ text, value }) => option(text, value));
  const selected = all.filter(({ value }) => value !== undefined && values.includes(value));
  const element = {
    type: 'multi_static_select' as const,
    action_id: 'value',
    options: all,
    ...(placeholder && { placeholder: plain(placeholder, 150) }),
    ...(selected.length > 0 && { initial_options: selected }),
  };
  return input({ ...options, optional: true }, element);
}

export type FormState = ViewOutput['state'];

/**
 * Returns an input's value, trimmed, or undefined if the form has no such input. Several values are separated by
 * commas.
 */
export function readFormValue(state: FormState, blockId: string): string | undefined {
  const [held] = Object.values(state.values[blockId] ?? {});
  if (held === undefined) return undefined;
  const boxes = () => held.selected_options?.map(({ value }) => value).join(',');
  const ids = () => (held.selected_users ?? held.selected_conversations)?.join(',');
  const one = () => held.selected_conversation ?? held.selected_user;
  const text = held.value ?? held.selected_option?.value ?? one() ?? boxes() ?? ids();
  return (text ?? '').trim();
}

/** Returns the names of the selected values as the pickers show them, keyed by ID. */
export function readFormNames({ values }: FormState): Map<string, string> {
  const held = Object.values(values).flatMap((block) => Object.values(block));
  return new Map(
    held.flatMap(({ selected_option: option }) =>
      option ? [[option.value, option.text.text] as const] : [],
    ),
  );
}

/** Cuts a text to the length that fits into an input. Joining `beginning` and `rest` restores it. */
export function cutToInput(text: string): { beginning: string; rest: string } {
  const points = [...text.trim()];
  if (points.length <= limits.inputValue) return { beginning: text, rest: '' };
  const beginning = points.slice(0, limits.inputValue).join('').trimEnd();
  return { beginning, rest: text.trim().slice(beginning.length) };
}

type OptionGroups = { label: PlainTextElement; options: PlainTextOption[] }[];
export type SearchAnswer = { options: PlainTextOption[] } | { option_groups: OptionGroups };

export type Choice = {
  id: string;
  name?: string | undefined;
  /** Warning to show with this choice in the list. */
  warning?: string | undefined;
};

/** Recently used IDs, newest first, with the label of their group. */
type Recents = { label: string; ids: readonly string[] };

type Searched = {
  noun: string;
  recents: readonly Recents[];
  all: readonly Choice[];
  isKnown: boolean;
  /** Returns true if a typed ID can be used. */
  isOffered?(id: string): boolean;
};

/** Answers a search with recently used IDs, the list, and the typed ID. If the list is cut, its label says so. */
export function answerSearch(query: string, list: Searched): SearchAnswer {
  const { noun, recents, all, isKnown, isOffered = () => true } = list;
  const typed = query.trim();
  const fits = ({ id }: Choice) => id !== '' && fitsOption(id);
  const offered = (choice: Choice) => fits(choice) && isMatch(choice, typed);
  const listed = all.filter(offered);
  const byId = new Map(all.map((choice) => [choice.id, choice]));
  const taken = new Set<string>();
  const used = recents.map(({ label, ids }) => {
    const fresh = [...new Set(ids)]
      .filter((id) => !taken.has(id))
      .map((id) => byId.get(id) ?? { id })
      .filter(offered)
      .slice(0, recentsPerGroup);
    for (const { id } of fresh) taken.add(id);
    return optionGroup(label, fresh.map(toOption));
  });
  const shown = listed.filter(({ id }) => !taken.has(id)).slice(0, optionLimits.options);
  const isListed = listed.some(({ id }) => id === typed) || taken.has(typed);
  const offersTyped = typed !== '' && !isListed && fits({ id: typed }) && isOffered(typed);
  const isCut = listed.filter(({ id }) => !taken.has(id)).length > shown.length;
  const others = listed.some(({ id }) => taken.has(id)) ? 'other ' : '';
  const which = typed ? ` matching "${shorten(typed, 30)}"` : '';
  const title = isCut
    ? `First ${shown.length} of ${listed.length}, type to narrow`
    : `All ${others}${noun}${which}`;
  const custom = isKnown ? 'Other ID' : `The list of ${noun} isn't available`;
  const groups = [
    ...used.flat(),
    ...optionGroup(title, shown.map(toOption)),
    ...optionGroup(custom, offersTyped ? [option(`Use "${typed}"`, typed)] : []),
  ];
  return inGroups(groups);
}

const recentsPerGroup = 8;

const isMatch = ({ id, name = '' }: Choice, typed: string) => {
  const wanted = typed.toLowerCase();
  return id.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted);
};

const toOption = ({ id, name, warning }: Choice) =>
  option(name && name !== id ? `${name} (${id})` : id, id, warning && `⚠️ ${warning}`);

export const optionGroup = (label: string, options: PlainTextOption[]) =>
  options.length > 0 ? [{ label: plain(label, optionLimits.group), options }] : [];

/**
 * Returns the answer to a search in groups. Without groups, returns an empty list of options, because Slack rejects an
 * empty list of groups.
 */
export const inGroups = (groups: OptionGroups): SearchAnswer =>
  groups.length > 0 ? { option_groups: groups } : { options: [] };
