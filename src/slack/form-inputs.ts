/** Builders for the pickers of our forms. Their values are read back with {@link readFormValue}. */
import type { InputBlock, PlainTextElement, PlainTextOption } from '@slack/types';
import { z } from 'zod';
import { limits, plain } from './blocks.ts';

/** https://docs.slack.dev/reference/block-kit/composition-objects/option-object */
export const optionLimits = { text: 75, value: 150, group: 75, options: 100 } as const;

const option = (text: string, value: string): PlainTextOption => ({
  text: plain(text, optionLimits.text),
  value,
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

/** An id from a list that is searched on our side. Whoever answers the search must always offer what was typed. */
export function searchInput(options: PickerOptions): InputBlock {
  const { blockId, actionId, label, placeholder, value, hint } = options;
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
      filter: { include: ['public', 'private', 'im'] },
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

const stateSchema = z.looseObject({
  value: z.string().nullish(),
  selected_option: z.object({ value: z.string() }).nullish(),
  selected_conversation: z.string().nullish(),
  selected_options: z.array(z.object({ value: z.string() })).nullish(),
});

export type FormState = { values: Record<string, Record<string, unknown>> };

/** What stands in an input, trimmed; undefined when the form has no such input. Ticks come as a comma list. */
export function readFormValue(state: FormState, blockId: string): string | undefined {
  const [held] = Object.values(state.values[blockId] ?? {});
  if (held === undefined) return undefined;
  const { data } = stateSchema.safeParse(held);
  const ticks = data?.selected_options?.map(({ value }) => value).join(',');
  const text = data?.value ?? data?.selected_option?.value ?? data?.selected_conversation ?? ticks;
  return (text ?? '').trim();
}

/** Slack takes an empty list of options, not an empty list of groups. */
export type SearchAnswer =
  | { options: PlainTextOption[] }
  | { option_groups: { label: PlainTextElement; options: PlainTextOption[] }[] };

export type Choice = { id: string; name?: string | undefined };

/** The answer to a search: what was used here before, the list (cut lists say so), then what was typed itself. */
export function answerSearch(
  query: string,
  list: {
    noun: string;
    recent: readonly string[];
    all: readonly Choice[];
    /** Whether an id may be written that no list has; it may. */
    byHand?: boolean;
  },
): SearchAnswer {
  const { noun, recent, all, byHand = true } = list;
  const wanted = query.trim().toLowerCase();
  const matches = (text: string) => text.toLowerCase().includes(wanted);
  const fits = ({ id }: Choice) => id !== '' && [...id].length <= optionLimits.value;
  const listed = all.filter(
    (choice) => fits(choice) && (matches(choice.id) || matches(choice.name ?? '')),
  );
  const names = new Map(all.map(({ id, name }) => [id, name]));
  const used = [...new Set(recent)]
    .map((id) => ({ id, name: names.get(id) }))
    .filter((choice) => fits(choice) && (matches(choice.id) || matches(choice.name ?? '')))
    .slice(0, recentShown);
  const usedIds = new Set(used.map(({ id }) => id));
  const others = listed.filter(({ id }) => !usedIds.has(id));
  const shown = others.slice(0, optionLimits.options);
  const typed = query.trim();
  const isListed = listed.some(({ id }) => id === typed) || usedIds.has(typed);
  const offersTyped = byHand && typed !== '' && !isListed && fits({ id: typed });
  const cut = others.length > shown.length;
  const title = cut ? `First ${shown.length} of ${others.length}, type to narrow` : `All ${noun}`;
  const groups = [
    ...group('Recently used here', used.map(toOption)),
    ...group(title, shown.map(toOption)),
    ...group('By hand', offersTyped ? [option(`Use “${typed}”`, typed)] : []),
  ];
  return groups.length > 0 ? { option_groups: groups } : { options: [] };
}

const recentShown = 10;

const toOption = ({ id, name }: Choice) => option(name && name !== id ? `${name} (${id})` : id, id);

const group = (label: string, options: PlainTextOption[]) =>
  options.length > 0 ? [{ label: plain(label, optionLimits.group), options }] : [];
