import type { ElementValue, Option } from '../../page-server/page-protocol.ts';
import type { OptionObject, SelectElement } from '../blocks/block-types.ts';

/** One choice, in any kind of select. */
export type Choice = { value: string; label: string; description?: string; option?: Option };
export type ChoiceGroup = { label?: string; choices: Choice[] };

export type SelectSource = 'static' | 'external' | 'users' | 'conversations' | 'channels';

export function sourceOf({ type }: SelectElement): SelectSource {
  return type.replace(/^multi_/, '').replace(/_select$/, '') as SelectSource;
}

export function choiceOfOption(option: OptionObject): Choice {
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

/** The end of the names of its value and initial value: `option` in `selected_option`. */
function nounOf(element: SelectElement) {
  const noun = nouns[sourceOf(element)];
  return element.type.startsWith('multi_') ? (`${noun}s` as const) : noun;
}

/** The person's choice, or the app's initial one. Labels of ids are added later. */
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

export function filterGroups(groups: ChoiceGroup[], query: string): ChoiceGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ label, description = '' }: Choice) => {
    const text = `${label} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return groups
    .map((group) => ({ ...group, choices: group.choices.filter(fits) }))
    .filter((group) => group.choices.length > 0);
}
