import { useEffect, useState } from 'preact/hooks';
import type { ElementValue, Option, OptionGroup } from '../../page-server/page-protocol.ts';
import type { OptionObject, SelectElement } from '../blocks/block-types.ts';
import { type Page, usePage } from '../state/page-context.ts';

/** Time without typing, in ms, after which the app gets a request for options. */
const pauseMs = 200;

type Choices = { groups: ChoiceGroup[]; hint?: string };
type Search = (query: string) => Promise<OptionGroup[]>;

/**
 * Returns the choices that match the query. For an external select, requests the choices from the app while the list is
 * open.
 */
export function useChoices(
  element: SelectElement,
  query: string,
  isOpen: boolean,
  search: Search,
): Choices {
  const page = usePage();
  const isExternal = sourceOf(element) === 'external';
  const shortest = element.min_query_length ?? 3;
  const isLongEnough = query.length >= shortest;
  const [found, setFound] = useState<{ query: string; groups: ChoiceGroup[] }>();

  useEffect(() => {
    if (!isOpen || !isExternal || !isLongEnough) return;
    let isOld = false;
    const ask = async () => {
      const groups = await search(query);
      if (!isOld) setFound({ query, groups: groups.map(readGroup) });
    };
    const timer = window.setTimeout(() => void ask(), query === '' ? 0 : pauseMs);
    return () => {
      isOld = true;
      window.clearTimeout(timer);
    };
    // Leave out `search` as a dependency, because it changes with every entered value. Only a new query needs a new
    // search.
  }, [query, isOpen, isExternal, isLongEnough]);

  if (!isExternal) return { groups: filterGroups(localGroups(element, page), query) };
  if (!isLongEnough) return { groups: [], hint: `Type at least ${shortest} characters to search` };
  if (found?.query !== query) {
    // Filter earlier results by the new query, so that Enter can't select a result that doesn't match.
    return { groups: filterGroups(found?.groups ?? [], query), hint: 'Searching…' };
  }
  return { groups: found.groups };
}

function readGroup({ label, options }: OptionGroup): ChoiceGroup {
  return { ...(label && { label }), choices: options.map(choiceOfOption) };
}

function localGroups(element: SelectElement, page: Page): ChoiceGroup[] {
  switch (sourceOf(element)) {
    case 'static':
    case 'external':
      return element.option_groups
        ? element.option_groups.map(({ label, options }) => ({
            label: label.text,
            choices: options.map(choiceOfOption),
          }))
        : [{ choices: (element.options ?? []).map(choiceOfOption) }];
    case 'users':
      return [{ choices: personChoices(page) }];
    case 'channels':
      return [{ choices: conversationChoices(page, ['public']) }];
    case 'conversations':
      return [{ choices: conversationChoices(page, element.filter?.include) }];
  }
}

function personChoices({ people }: Page): Choice[] {
  const here = people.filter((person) => person.isHere);
  return here.map(({ id, name, title }) => ({
    value: id,
    label: name,
    ...(title && { description: title }),
  }));
}

const slackKinds = { public: 'public', private: 'private', direct: 'im' } as const;

function conversationChoices(page: Page, include?: string[]): Choice[] {
  return page.channels
    .filter(({ type, isMember }) => type === 'public' || isMember)
    .filter(({ type }) => !include || include.includes(slackKinds[type]))
    .map(({ id }) => ({ value: id, label: labelOfId(page, id) }));
}

/** Returns the name of the person or conversation with this ID. */
export function labelOfId(page: Page, id: string): string {
  const channel = page.findChannel(id);
  if (!channel) return page.findPerson(id)?.name ?? id;
  if (!channel.withPerson) return `${channel.type === 'private' ? '🔒 ' : '#'}${channel.name}`;
  return page.findPerson(channel.withPerson)?.name ?? channel.name;
}

/** One choice in a select of any kind. */
export type Choice = { value: string; label: string; description?: string; option?: Option };
export type ChoiceGroup = { label?: string; choices: Choice[] };

type SelectSource = 'static' | 'external' | 'users' | 'conversations' | 'channels';

function sourceOf({ type }: SelectElement): SelectSource {
  return type.replace(/^multi_/, '').replace(/_select$/, '') as SelectSource;
}

function choiceOfOption(option: OptionObject): Choice {
  const { text, value, description } = option;
  return { value, label: text.text, option, ...(description && { description: description.text }) };
}

const justId = (value: string): Choice => ({ value, label: value });

type Held = string | OptionObject;

const nouns = {
  static: 'option',
  external: 'option',
  users: 'user',
  conversations: 'conversation',
  channels: 'channel',
} as const;

/** Returns the last part of the names of the select's value fields. For `selected_option`, that's `option`. */
function nounOf(element: SelectElement) {
  const noun = nouns[sourceOf(element)];
  return element.type.startsWith('multi_') ? (`${noun}s` as const) : noun;
}

/** Returns the person's choices, or the initial choices that the app set. IDs don't have their names as labels yet. */
export function readChosen(element: SelectElement, value: ElementValue | undefined): Choice[] {
  const noun = nounOf(element);
  const held = value ? value[`selected_${noun}`] : element[`initial_${noun}`];
  return [(held ?? []) as Held | Held[]]
    .flat()
    .map((each) => (typeof each === 'string' ? justId(each) : choiceOfOption(each)));
}

export function writeChosen(element: SelectElement, chosen: Choice[]): ElementValue {
  const noun = nounOf(element);
  const held = noun.startsWith('option')
    ? chosen.flatMap(({ option }) => option ?? [])
    : chosen.map(({ value }) => value);
  const isMany = noun.endsWith('s');
  return { type: element.type, [`selected_${noun}`]: isMany ? held : (held[0] ?? null) };
}

function filterGroups(groups: ChoiceGroup[], query: string): ChoiceGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ label, description = '' }: Choice) => {
    const text = `${label} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return groups
    .map((group) => ({ ...group, choices: group.choices.filter(fits) }))
    .filter((group) => group.choices.length > 0);
}
