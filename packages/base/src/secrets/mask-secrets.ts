/**
 * Masks what looks like a key or password in text from Slack, so that no one sends it to an agent by accident. See
 * docs/decisions/018-secrets-in-messages-are-masked.md.
 */
import { keyFormats, places, reference, suffixMarkedPatterns } from './secret-patterns.ts';

/** One search instead of one for each format: most texts contain no key. */
const anyKey = new RegExp(keyFormats.map(({ source }) => source).join('|'));

const patternsFor = (text: string): RegExp[] => [
  ...(anyKey.test(text) ? keyFormats : []),
  ...places,
  ...suffixMarkedPatterns.flatMap(([contained, pattern]) =>
    text.includes(contained) ? [pattern] : [],
  ),
];

/** `masked`: how many different secrets. */
export type Masked = { text: string; masked: number };

/** A sentence to append; empty when nothing is masked. */
export const maskedNotice = (masked: number) =>
  masked > 0
    ? ` ${masked} ${masked === 1 ? 'value looks like a secret and is' : 'values look like secrets and are'} masked.`
    : '';

/** Far more than a message or row shows, so that a secret isn't cut before it's found. */
const shownLength = 20_000;

/** The beginning of a text, masked for everyone to read, even if the agent gets it unmasked. */
export const shownText = (text: string): string => maskSecrets(text.slice(0, shownLength)).text;

const maskStart = '[masked';

/** Number of different secrets that were masked in this text. */
export const countMasks = (text: string): number =>
  new Set(text.match(/\[masked secret \d+\]/g)).size;

type Found = { start: number; end: number };

export type Mask = (text: string) => string;

/** Keeps lines and their first character, so that what's masked can still be a patch. */
function lineByLine(secret: string, mask: string, isAtLineStart: boolean): string {
  const lines = secret.split('\n').map((line, index) => {
    const sign = index > 0 || isAtLineStart ? /^[ +-]/.exec(line)?.[0] : undefined;
    return (sign ?? '') + mask;
  });
  return lines.join('\n');
}

/**
 * Masks several texts, in which each number is one secret.
 * @param first the first number, less one
 */
export function createMask(first = 0, { keepsLines = false } = {}): Mask & { count(): number } {
  const masks = new Map<string, string>();
  function mask(text: string): string {
    let shown = '';
    let index = 0;
    const found = patternsFor(text).flatMap((pattern) => findAll(text, pattern));
    for (const { start, end } of merge(found)) {
      const secret = text.slice(start, end);
      const name = masks.get(secret) ?? `${maskStart} secret ${first + masks.size + 1}]`;
      masks.set(secret, name);
      const isAtLineStart = start === 0 || text[start - 1] === '\n';
      shown += text.slice(index, start);
      shown += keepsLines ? lineByLine(secret, name, isAtLineStart) : name;
      index = end;
    }
    return shown + text.slice(index);
  }
  return Object.assign(mask, { count: () => masks.size });
}

/** @param maskCount how many masks the other texts of the same prompt have, so that each number is one secret */
export function maskSecrets(text: string, maskCount = 0): Masked {
  const mask = createMask(maskCount);
  return { text: mask(text), masked: mask.count() };
}

/** The same value of JSON with every string masked. */
export const maskValues = <T>(value: T, mask: Mask): T =>
  JSON.parse(JSON.stringify(value, (_, each) => (typeof each === 'string' ? mask(each) : each)));

function findAll(text: string, pattern: RegExp): Found[] {
  // `matchAll` copies the pattern, which takes longer than a search without a match.
  if (text.search(pattern) < 0) return [];
  return [...text.matchAll(pattern)].flatMap((match) => {
    const [whole, ...groups] = match;
    const isBlock = /^(?:-{4}|PuTTY)/.test(whole);
    const secret = (!isBlock && groups.find((group) => group?.trim())) || whole;
    if (reference.test(secret) || secret.startsWith(maskStart)) return [];
    const start = match.index + whole.lastIndexOf(secret);
    return [{ start, end: start + secret.length }];
  });
}

/** Overlapping matches become one. */
function merge(found: Found[]): Found[] {
  const merged: Found[] = [];
  for (const next of found.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && next.start < last.end) last.end = Math.max(last.end, next.end);
    else merged.push({ ...next });
  }
  return merged;
}
