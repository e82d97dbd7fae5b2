/**
 * Masks what looks like a key or password in text from Slack, so that no one sends it to an agent by accident. See
 * docs/decisions/018-secrets-in-messages-are-masked.md.
 */
import { keyFormats, places, reference, suffixMarkedPatterns } from './secret-patterns.ts';

/** Pattern of all key formats. One search is faster than one for each format, because most texts contain no key. */
const anyKey = new RegExp(keyFormats.map(({ source }) => source).join('|'));

const patternsFor = (text: string): RegExp[] => [
  ...(anyKey.test(text) ? keyFormats : []),
  ...places,
  ...suffixMarkedPatterns.flatMap(([contained, pattern]) =>
    text.includes(contained) ? [pattern] : [],
  ),
];

/** A masked text. `masked` is the number of different secrets in it. */
export type Masked = { text: string; masked: number };

/** Returns a sentence about masked secrets, to append to a message. Returns an empty text if nothing was masked. */
export const maskedNotice = (masked: number) =>
  masked > 0
    ? ` ${masked} ${masked === 1 ? 'value looks like a secret and is' : 'values look like secrets and are'} masked.`
    : '';

/**
 * Max length of a text to mask for display. It's more than a message shows, so that no visible secret is cut before
 * it's found.
 */
const shownLength = 20_000;

/** Returns the beginning of a text, masked for display. The agent may still get the text unmasked. */
export const shownText = (text: string): string => maskSecrets(text.slice(0, shownLength)).text;

const maskStart = '[masked';

/** Returns the number of different secrets that are masked in this text. */
export const countMasks = (text: string): number =>
  new Set(text.match(/\[masked secret \d+\]/g)).size;

type Found = { start: number; end: number };

export type Mask = (text: string) => string;
export type SecretMask = Mask & {
  /** Returns the number of different secrets. */
  count(): number;
  /** Masks a text that is a secret as a whole, unless it's too short for one. */
  whole(secret: string): string;
};

/** Masks a secret but keeps its lines and their first characters, so that a masked patch is still a patch. */
function lineByLine(secret: string, mask: string, isAtLineStart: boolean): string {
  const lines = secret.split('\n').map((line, index) => {
    const sign = index > 0 || isAtLineStart ? /^[ +-]/.exec(line)?.[0] : undefined;
    return (sign ?? '') + mask;
  });
  return lines.join('\n');
}

/**
 * Creates a function that masks secrets in several texts. The same secret gets the same number in all of them, such as
 * `[masked secret 1]`.
 * @param first highest number that earlier texts already use
 */
export function createMask(first = 0, { keepsLines = false } = {}): SecretMask {
  const masks = new Map<string, string>();
  function nameOf(secret: string): string {
    const name = masks.get(secret) ?? `${maskStart} secret ${first + masks.size + 1}]`;
    masks.set(secret, name);
    return name;
  }
  function mask(text: string): string {
    let shown = '';
    let index = 0;
    const found = patternsFor(text).flatMap((pattern) => findAll(text, pattern));
    for (const { start, end } of merge(found)) {
      const secret = text.slice(start, end);
      const name = nameOf(secret);
      const isAtLineStart = start === 0 || text[start - 1] === '\n';
      shown += text.slice(index, start);
      shown += keepsLines ? lineByLine(secret, name, isAtLineStart) : name;
      index = end;
    }
    return shown + text.slice(index);
  }
  return Object.assign(mask, {
    count: () => masks.size,
    whole: (secret: string) =>
      secret.length >= leastLength && isMaskable(secret) ? nameOf(secret) : secret,
  });
}

/** Min length of a secret. */
export const leastLength = 6;

const isMaskable = (secret: string) => !reference.test(secret) && !secret.startsWith(maskStart);

/** Returns true if a value with this name is a secret, such as the value of `password`. */
export const isSecretName = (name: string): boolean =>
  maskSecrets(`"${name}": "a1b2c3d4e5f6g7h8i9"`).masked > maskSecrets(name).masked;

/**
 * Masks the secrets in a text.
 * @param maskCount number of masks in earlier texts of the same prompt, so that no number is used twice
 */
export function maskSecrets(text: string, maskCount = 0): Masked {
  const mask = createMask(maskCount);
  return { text: mask(text), masked: mask.count() };
}

/** Returns a JSON value with every string masked. */
export const maskValues = <T>(value: T, mask: Mask): T =>
  JSON.parse(JSON.stringify(value, (_, each) => (typeof each === 'string' ? mask(each) : each)));

function findAll(text: string, pattern: RegExp): Found[] {
  // Search before using `matchAll`, which copies the pattern and so takes longer if there is no match.
  if (text.search(pattern) < 0) return [];
  return [...text.matchAll(pattern)].flatMap((match) => {
    const [whole, ...groups] = match;
    const isBlock = /^(?:-{4}|PuTTY)/.test(whole);
    const secret = (!isBlock && groups.find((group) => group?.trim())) || whole;
    if (!isMaskable(secret)) return [];
    const start = match.index + whole.lastIndexOf(secret);
    return [{ start, end: start + secret.length }];
  });
}

/** Merges overlapping matches into one. */
function merge(found: Found[]): Found[] {
  const merged: Found[] = [];
  for (const next of found.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && next.start < last.end) last.end = Math.max(last.end, next.end);
    else merged.push({ ...next });
  }
  return merged;
}
