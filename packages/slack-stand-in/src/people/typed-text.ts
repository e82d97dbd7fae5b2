import type { World } from '../world/world.ts';

/**
 * Converts typed text to Slack's format: `&`, `<`, `>` escaped, `@name` and `#channel` as ids, URLs in angle brackets.
 * `<@U…>` and `<#C…>` stay unchanged.
 */
export function encodeTyped(world: World, teamId: string, typed: string): string {
  const parts = typed.split(/(<(?:[@#!][^<>\s]+|https?:\/\/[^<>\s]+)>)/);
  return parts.map((part, index) => (index % 2 ? part : encodePlain(world, teamId, part))).join('');
}

function encodePlain(world: World, teamId: string, plain: string): string {
  const escaped = escapeControl(plain);
  const people = world.people.flatMap(({ id, name, realName }) => [
    { id, name: realName },
    { id, name },
  ]);
  const longestFirst = people.toSorted((a, b) => b.name.length - a.name.length);
  const mentioned = escaped.replace(
    /(^|[\s(])@([^\s@].*)/g,
    (whole, before: string, rest: string) => {
      const lower = rest.toLowerCase();
      const found = longestFirst.find(({ name }) => startsWithWord(lower, name.toLowerCase()));
      if (!found) return whole;
      const tail = rest.slice(found.name.length);
      return `${before}<@${found.id}>${encodeMentions(tail, longestFirst)}`;
    },
  );
  const channels = world.channels.filter((each) => each.teamId === teamId && each.name);
  return mentioned
    .replace(/(^|\s)#([\w-]+)/g, (whole, before: string, name: string) => {
      const channel = channels.find((each) => each.name === name);
      return channel ? `${before}<#${channel.id}|${channel.name}>` : whole;
    })
    .replace(/(^|\s)(https?:\/\/[^\s<>]+)/g, '$1<$2>');
}

/** The three characters that Slack always escapes, even in commands. */
export function escapeControl(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

type Named = { id: string; name: string };

function encodeMentions(text: string, people: readonly Named[]): string {
  return text.replace(/(^|\s)@(\S+)/g, (whole, before: string, word: string) => {
    const found = people.find(({ name }) => name.toLowerCase() === word.toLowerCase());
    return found ? `${before}<@${found.id}>` : whole;
  });
}

function startsWithWord(text: string, word: string): boolean {
  return text.startsWith(word) && !/[\w-]/.test(text.charAt(word.length));
}
