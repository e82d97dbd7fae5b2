/**
 * Finds what looks like a key or a password in texts from Slack, so that no one sends it to an agent by accident. See
 * docs/decisions/021-secrets-in-messages-are-masked.md.
 */
import { hints, keyFormats, places, reference } from './secret-patterns.ts';

const patterns = [...keyFormats, ...places];

/** All of them in one, for each way to read letters. */
const anyOf = ['', 'i'].map((flags) => {
  const alike = patterns.filter((pattern) => pattern.ignoreCase === (flags === 'i'));
  return new RegExp(alike.map(({ source }) => source).join('|'), flags);
});

export type Masked = {
  text: string;
  /** What stood there, by the mask that stands there now; equal secrets have one mask. */
  secrets: Record<string, string>;
};

/** A sentence after others; empty when nothing is masked. */
export const maskedNotice = (masked: number) =>
  masked > 0
    ? ` ${masked} ${masked === 1 ? 'value looks like a secret and is' : 'values look like secrets and are'} masked.`
    : '';

/** Far more than a message or a row shows, so that no secret is cut where that ends. */
const mostShown = 20_000;

/** The beginning of a text for everybody to read: also what an agent gets as it is stands masked there. */
export const shownText = (text: string): string => maskSecrets(text.slice(0, mostShown)).text;

const maskBegins = '[masked';

/** How many different secrets were masked in this text. */
export const countMasks = (text: string): number =>
  new Set(text.match(/\[masked secret \d+\]/g)).size;

type Found = { start: number; end: number };

/** @param numbered how many masks the same form has already, so that each mask is one secret */
export function maskSecrets(text: string, numbered = 0): Masked {
  if (!mayHold(text)) return { text, secrets: {} };
  const masks = new Map<string, string>();
  let masked = '';
  let index = 0;
  for (const { start, end } of merge(patterns.flatMap((pattern) => findAll(text, pattern)))) {
    const secret = text.slice(start, end);
    const mask = masks.get(secret) ?? `${maskBegins} secret ${numbered + masks.size + 1}]`;
    masks.set(secret, mask);
    masked += text.slice(index, start) + mask;
    index = end;
  }
  const secrets = Object.fromEntries([...masks].map(([secret, mask]) => [mask, secret]));
  return { text: masked + text.slice(index), secrets };
}

/** Most texts hold nothing, and are seen through at once. */
const mayHold = (text: string): boolean =>
  [hints, anyOf].every((looks) => looks.some((pattern) => pattern.test(text)));

function findAll(text: string, pattern: RegExp): Found[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const [whole, ...groups] = match;
    const isBlock = /^(?:-{4}|PuTTY)/.test(whole);
    const secret = (!isBlock && groups.find((group) => group?.trim())) || whole;
    if (reference.test(secret) || secret.startsWith(maskBegins)) return [];
    const start = match.index + whole.lastIndexOf(secret);
    return [{ start, end: start + secret.length }];
  });
}

/** Overlapping finds become one. */
function merge(found: Found[]): Found[] {
  const merged: Found[] = [];
  for (const next of found.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && next.start < last.end) last.end = Math.max(last.end, next.end);
    else merged.push({ ...next });
  }
  return merged;
}
