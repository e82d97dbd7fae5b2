/** Builders for the pickers of our forms. Their values are read back with {@link readFormValue}. */
import type { ViewOutput } from '@slack/bolt';
import type { InputBlock, PlainTextElement, PlainTextOption } from '@slack/types';
import { limits, plain, shorten, textInput } from '../text/blocks.ts';

/** https://docs.slack.dev/reference/block-kit/composition-objects/option-object */
export const optionLimits = { text: 75, value: 150, group: 75, options: 100 } as const;

export const option = (text: string, value: string, description?: string): PlainTextOption => ({
  text: plain(text, optionLimits.text),
  value,
  ...(description && { description: plain(description, optionLimits.text) }),
});

type PickerOptions = {
  blockId: string;
  actionId: string;
  label: string;
  placeholder: string;
  /** What is picked at first. */
  value?: { id: string; name?: string | undefined } | undefined;
  hint?: string;
  dispatches?: boolean;
};

/** What is written by hand where a picker cannot hold it. */
const idLimit = 255;

/**
 * An id from a list that is searched on our side. Whoever answers the search must always offer what was typed. An id
 * that is too long for a picker is written by hand: a picker would cut it.
 */
export function searchInput(options: PickerOptions): InputBlock {
  const { blockId, actionId, label, placeholder, value, hint } = options;
  if (value && [...value.id].length > optionLimits.value) {
    const written = { blockId, label, value: value.id, optional: true, maxLength: idLimit };
    return textInput({ ...written, ...(hint && { hint }) });
  }
  return {
    type: 'input',
    block_id: blockId,
    label: plain(label, limits.inputLabel),
    optional: true,
    ...(options.dispatches && { dispatch_action: true }),
    ...(hint && { hint: plain(hint, limits.inputLabel) }),
    element: {
      type: 'external_select',
      action_id: actionId,
      min_query_length: 0,
      placeholder: plain(placeholder, 150),
      ...(value && { initial_option: option(value.name ?? value.id, value.id) }),
    },
  };
}

export function channelInput(options: {
  blockId: string;
  label: string;
  channelId: string | undefined;
  hint?: string;
}): InputBlock {
  const { blockId, label, channelId, hint } = options;
  return {
    type: 'input',
    block_id: blockId,
    label: plain(label, limits.inputLabel),
    ...(hint && { hint: plain(hint, limits.inputLabel) }),
    element: {
      type: 'conversations_select',
      action_id: 'value',
      filter: { include: ['public', 'private', 'mpim', 'im'] },
      ...(channelId
        ? { initial_conversation: channelId }
        : // The one that the person is looking at, if there is one.
          { default_to_current_conversation: true }),
    },
  };
}

export type ListedChoice = { value: string; text: string };

/** One of a few: there is always one picked, `value` at first. */
export function selectInput(options: {
  blockId: string;
  label: string;
  choices: readonly ListedChoice[];
  value: string;
  hint?: string;
}): InputBlock {
  const { blockId, label, choices, value, hint } = options;
  const picked = choices.find((choice) => choice.value === value) ?? choices[0];
  return {
    type: 'input',
    block_id: blockId,
    label: plain(label, limits.inputLabel),
    ...(hint && { hint: plain(hint, limits.inputLabel) }),
    element: {
      type: 'static_select',
      action_id: 'value',
      options: choices.map((choice) => option(choice.text, choice.value)),
      ...(picked && { initial_option: option(picked.text, picked.value) }),
    },
  };
}

export function tickInput(options: {
  blockId: string;
  label: string;
  ticks: readonly { value: string; text: string; isTicked: boolean }[];
}): InputBlock {
  const all = options.ticks.map(({ text, value }) => option(text, value));
  const ticked = all.filter((_, index) => options.ticks[index]?.isTicked);
  return {
    type: 'input',
    block_id: options.blockId,
    label: plain(options.label, limits.inputLabel),
    optional: true,
    element: {
      type: 'checkboxes',
      action_id: 'value',
      options: all,
      ...(ticked.length > 0 && { initial_options: ticked }),
    },
  };
}

export type FormState = ViewOutput['state'];

/** What stands in an input, trimmed; undefined when the form has no such input. Ticks come as a comma list. */
export function readFormValue(state: FormState, blockId: string): string | undefined {
  const [held] = Object.values(state.values[blockId] ?? {});
  if (held === undefined) return undefined;
  const ticks = () => held.selected_options?.map(({ value }) => value).join(',');
  const text = held.value ?? held.selected_option?.value ?? held.selected_conversation ?? ticks();
  return (text ?? '').trim();
}

/** Slack takes an empty list of options, not an empty list of groups. */
export type SearchAnswer =
  | { options: PlainTextOption[] }
  | { option_groups: { label: PlainTextElement; options: PlainTextOption[] }[] };

export type Choice = { id: string; name?: string | undefined };

/** What was used before, newest first, under the words that say where. */
export type Recents = { label: string; ids: readonly string[] };

/** The answer to a search: what was used before, the list (cut lists say so), then what was typed itself. */
export function answerSearch(
  query: string,
  list: { noun: string; recents: readonly Recents[]; all: readonly Choice[]; isKnown: boolean },
): SearchAnswer {
  const { noun, recents, all, isKnown } = list;
  const typed = query.trim();
  const fits = ({ id }: Choice) => id !== '' && [...id].length <= optionLimits.value;
  const offered = (choice: Choice) => fits(choice) && isMatch(choice, typed);
  const listed = all.filter(offered);
  const names = new Map(all.map(({ id, name }) => [id, name]));
  const taken = new Set<string>();
  const used = recents.map(({ label, ids }) => {
    const fresh = [...new Set(ids)]
      .filter((id) => !taken.has(id))
      .map((id) => ({ id, name: names.get(id) }))
      .filter(offered)
      .slice(0, recentShown);
    for (const { id } of fresh) taken.add(id);
    return optionGroup(label, fresh.map(toOption));
  });
  const shown = listed.filter(({ id }) => !taken.has(id)).slice(0, optionLimits.options);
  const isListed = listed.some(({ id }) => id === typed) || taken.has(typed);
  const offersTyped = typed !== '' && !isListed && fits({ id: typed });
  const isCut = listed.filter(({ id }) => !taken.has(id)).length > shown.length;
  const others = listed.some(({ id }) => taken.has(id)) ? 'other ' : '';
  const which = typed ? `with “${shorten(typed, 30)}”` : 'of the runs service';
  const title = isCut
    ? `First ${shown.length} of ${listed.length}, type to narrow`
    : `All ${others}${noun} ${which}`;
  const byHand = isKnown ? 'By hand' : `By hand: the runs service lists no ${noun} now`;
  const groups = [
    ...used.flat(),
    ...optionGroup(title, shown.map(toOption)),
    ...optionGroup(byHand, offersTyped ? [option(`Use “${typed}”`, typed)] : []),
  ];
  return groups.length > 0 ? { option_groups: groups } : { options: [] };
}

/** Of each group of what was used before. */
const recentShown = 8;

const isMatch = ({ id, name = '' }: Choice, typed: string) => {
  const wanted = typed.toLowerCase();
  return id.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted);
};

const toOption = ({ id, name }: Choice) => option(name && name !== id ? `${name} (${id})` : id, id);

export const optionGroup = (label: string, options: PlainTextOption[]) =>
  options.length > 0 ? [{ label: plain(label, optionLimits.group), options }] : [];
