import type { ChannelEntry, PersonEntry } from '../../page-protocol.ts';

type Known = { people: PersonEntry[]; channels: ChannelEntry[] };

/** What a person typed, as Slack's clients send it: three characters escaped, names as ids. */
export function encodeText(typed: string, { people, channels }: Known): string {
  const escaped = escapeText(typed);
  const names = [
    ...people.map(({ id, name }) => ({ name: `@${escapeText(name)}`, token: `<@${id}>` })),
    ...people.map(({ id, handle }) => ({ name: `@${escapeText(handle)}`, token: `<@${id}>` })),
    ...channels
      .filter(({ type }) => type !== 'direct')
      .map(({ id, name }) => ({ name: `#${escapeText(name)}`, token: `<#${id}|${name}>` })),
    ...['here', 'channel', 'everyone'].map((range) => ({ name: `@${range}`, token: `<!${range}>` })),
  ].filter(({ name }) => name.length > 1);
  if (names.length === 0) return escaped;
  // The longest name first: `@Sam Guest` before `@Sam`.
  names.sort((one, two) => two.name.length - one.name.length);
  const pattern = names.map(({ name }) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const tokens = new Map(names.map(({ name, token }) => [name.toLowerCase(), token]));
  return escaped.replace(
    new RegExp(`(?<![\\p{L}\\p{N}&;])(?:${pattern})(?![\\p{L}\\p{N}])`, 'giu'),
    (name) => tokens.get(name.toLowerCase()) ?? name,
  );
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
