import type { ChannelEntry, CommandInfo, PersonEntry } from '../../page-server/page-entry.ts';

/** One item of the completion list. `insert` replaces the text from `from` to the caret. */
export type Completion = {
  key: string;
  label: string;
  hint: string;
  detail: string;
  insert: string;
};
export type Completions = { from: number; items: Completion[] };

type Sources = { commands: CommandInfo[]; people: PersonEntry[]; channels: ChannelEntry[] };

const longest = 8;

/**
 * Returns completions of the word before the caret. Commands complete at the start of the text; people and channels
 * complete anywhere.
 */
export function completionsAt(
  text: string,
  caret: number,
  sources: Sources,
): Completions | undefined {
  const before = text.slice(0, caret);
  const items = before.startsWith('/') ? commandsFor(before, sources.commands) : [];
  if (items.length > 0) return { from: 0, items };
  const word = /(?:^|\s)([@#])([^@#\n]{0,40})$/.exec(before);
  if (!word) return undefined;
  const [, sign, query = ''] = word;
  const from = caret - query.length - 1;
  const found =
    sign === '@' ? peopleFor(query, sources.people) : channelsFor(query, sources.channels);
  return found.length > 0 ? { from, items: found.slice(0, longest) } : undefined;
}

function commandsFor(before: string, commands: CommandInfo[]): Completion[] {
  const isWhole = before.includes(' ');
  const name = before.split(' ')[0] ?? '';
  return commands
    .filter(({ command }) => (isWhole ? command === name : command.startsWith(before)))
    .map(({ command, usageHint, description }) => ({
      key: command,
      label: command,
      hint: usageHint,
      detail: description,
      insert: isWhole ? before : `${command} `,
    }));
}

const startsWord = (text: string, query: string) =>
  ` ${text.toLowerCase()}`.includes(` ${query.toLowerCase()}`);

function peopleFor(query: string, people: PersonEntry[]): Completion[] {
  return people
    .filter(({ name, handle }) => startsWord(name, query) || startsWord(handle, query))
    .map(({ id, name, title }) => ({
      key: id,
      label: `@${name}`,
      hint: '',
      detail: title,
      insert: `@${name} `,
    }));
}

function channelsFor(query: string, channels: ChannelEntry[]): Completion[] {
  return channels
    .filter(({ type, name }) => type !== 'direct' && startsWord(name, query))
    .map(({ id, name, topic }) => ({
      key: id,
      label: `#${name}`,
      hint: '',
      detail: topic,
      insert: `#${name} `,
    }));
}
