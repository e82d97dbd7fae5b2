import type { ElementValue, Option } from '../../page-protocol.ts';
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

/** The person's choice, or the app's initial one. Labels of ids are added later. */
export function readChosen(element: SelectElement, value: ElementValue | undefined): Choice[] {
  const held = value ? readValue(value) : readInitial(element);
  return held.map((each) => (typeof each === 'string' ? justId(each) : choiceOfOption(each)));
}

type Held = string | OptionObject;

function readValue(value: ElementValue): Held[] {
  const held = [
    value.selected_options ?? value.selected_option,
    value.selected_users ?? value.selected_user,
    value.selected_conversations ?? value.selected_conversation,
    value.selected_channels ?? value.selected_channel,
  ];
  return held.flat().filter((each): each is Held => each !== undefined && each !== null);
}

function readInitial(element: SelectElement): Held[] {
  const held = [
    element.initial_options ?? element.initial_option,
    element.initial_users ?? element.initial_user,
    element.initial_conversations ?? element.initial_conversation,
    element.initial_channels ?? element.initial_channel,
  ];
  return held.flat().filter((each): each is Held => each !== undefined && each !== null);
}

export function writeChosen(element: SelectElement, chosen: Choice[]): ElementValue {
  const { type } = element;
  const isMany = type.startsWith('multi_');
  const ids = chosen.map((choice) => choice.value);
  const options = chosen.flatMap((choice) => (choice.option ? [choice.option] : []));
  switch (sourceOf(element)) {
    case 'static':
    case 'external':
      return isMany
        ? { type, selected_options: options }
        : { type, selected_option: options[0] ?? null };
    case 'users':
      return isMany ? { type, selected_users: ids } : { type, selected_user: ids[0] ?? null };
    case 'conversations':
      return isMany
        ? { type, selected_conversations: ids }
        : { type, selected_conversation: ids[0] ?? null };
    case 'channels':
      return isMany ? { type, selected_channels: ids } : { type, selected_channel: ids[0] ?? null };
  }
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
