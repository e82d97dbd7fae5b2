/** Turns Slack's encoding of a text back into what a person typed. */

/** Names of people and channels by id, for mentions that Slack sent without a name. */
export type KnownNames = ReadonlyMap<string, string>;

const noNames: KnownNames = new Map();

/**
 * Turns `<@U1|ada>` into `@ada`, `<#C1|general>` into `#general`, a link into its address, and `&amp;` into `&`. A
 * mention without a name keeps its ID (`@U1`) unless `names` has one.
 * https://docs.slack.dev/messaging/formatting-message-text
 */
export function readTypedText(text: string, names: KnownNames = noNames): string {
  return text
    .split(/(<[^<>]*>)/)
    .map((piece, index) => (index % 2 ? readAngled(piece.slice(1, -1), names) : decode(piece)))
    .join('');
}

function readAngled(inner: string, names: KnownNames): string {
  const cut = inner.indexOf('|');
  const target = cut < 0 ? inner : inner.slice(0, cut);
  const label = decode(cut < 0 ? '' : inner.slice(cut + 1));
  const [sign, id] = [target.charAt(0), target.slice(1)];
  if (sign === '@' || sign === '#') return `${sign}${label || names.get(id) || id}`;
  if (sign === '!') return readSpecial(id, label);
  const url = decode(target);
  if (!label || label === url) return url;
  const typedAsLabel = url.replace(/^(https?:\/\/|mailto:|tel:)/, '').replace(/\/$/, '');
  return typedAsLabel === label.replace(/\/$/, '') ? label : `${label} (${url})`;
}

function readSpecial(id: string, label: string): string {
  if (id.startsWith('date^')) return label;
  if (label) return label.startsWith('@') ? label : `@${label}`;
  return `@${id.replace(/^subteam\^/, '')}`;
}

const characters: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

const decode = (text: string) =>
  text.replace(/&(?:lt|gt|amp);/g, (entity) => characters[entity] ?? entity);

/** Returns IDs of the people who are mentioned without a name. */
export function unnamedPeople(text: string): string[] {
  return [...new Set([...text.matchAll(/<@([A-Z0-9]+)>/g)].map((match) => match[1] ?? ''))];
}

export function withoutMention(text: string, botUserId: string): string {
  return text.replace(new RegExp(`<@${botUserId}(\\|[^<>]*)?>[:,]?`, 'g'), ' ').trim();
}

/** Turns mrkdwn into plain text for an error in a form. A mention there would show the ID of the person. */
export const plainWords = (mrkdwn: string): string =>
  readTypedText(
    mrkdwn
      .replace(/^<@[^>]*>/, 'Someone')
      .replace(/<@[^>]*>/g, 'someone')
      .replace(/<!subteam[^>]*>/g, 'a user group'),
  );
