/** Shorter values occur by chance; hiding them would spoil the output and show where they stand. */
const shortestSecret = 6;
/** Of a secret with several lines, a key for instance, each line that is not short: a patch has them one by one. */
const shortestLine = 12;
const hidden = '[secret]';

export type Redactor = {
  /** What can be shown by now: everything but an end that may be the beginning of a secret. */
  push(chunk: Buffer): Buffer;
  flush(): Buffer;
};

/** Takes secrets out of a stream of bytes, also where they lie across its parts. */
export function createRedactor(secrets: readonly string[]): Redactor {
  // Latin-1 is one character a byte: no part of a character is ever lost at the edge of a chunk.
  const wanted = secretsOf(secrets).map((secret) => Buffer.from(secret).toString('latin1'));
  const pattern = patternOf(wanted);
  let waiting = '';
  return {
    push(chunk) {
      if (pattern === undefined) return chunk;
      const text = waiting + chunk.toString('latin1');
      let shown = '';
      let from = 0;
      let end = beginningOfSecret(text, wanted, 0);
      for (const { index, 0: found } of text.matchAll(pattern)) {
        // What begins here may become a longer secret.
        if (index >= end) break;
        shown += text.slice(from, index) + hidden;
        from = index + found.length;
        if (from > end) end = beginningOfSecret(text, wanted, from);
      }
      waiting = text.slice(end);
      return Buffer.from(shown + text.slice(from, end), 'latin1');
    },
    flush() {
      const rest = Buffer.from(hide(waiting, pattern), 'latin1');
      waiting = '';
      return rest;
    },
  };
}

export function redact(text: string, secrets: readonly string[]): string {
  return hide(text, patternOf(secretsOf(secrets)));
}

/** Also as they stand in JSON, which many agents print. Longer ones first, as one may contain another. */
function secretsOf(secrets: readonly string[]): string[] {
  const lines = secrets.flatMap((secret) => secret.split('\n')).map((line) => line.trim());
  const long = [
    ...secrets.filter((secret) => secret.length >= shortestSecret),
    ...lines.filter((line) => line.length >= shortestLine),
  ];
  const escaped = long.map((secret) => JSON.stringify(secret).slice(1, -1));
  return [...new Set([...long, ...escaped])].sort((a, b) => b.length - a.length);
}

/** Matches each of the texts, the first that fits. */
function patternOf(texts: readonly string[]): RegExp | undefined {
  if (texts.length === 0) return undefined;
  return new RegExp(
    texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'),
    'g',
  );
}

const hide = (text: string, pattern: RegExp | undefined) =>
  pattern === undefined ? text : text.replace(pattern, hidden);

/** Where the earliest end of the text begins that is the beginning of a secret; the text's length when none is. */
function beginningOfSecret(text: string, secrets: readonly string[], from: number): number {
  const longest = Math.max(...secrets.map((secret) => secret.length)) - 1;
  for (let at = Math.max(from, text.length - longest); at < text.length; at += 1) {
    const end = text.length - at;
    const begins = (secret: string) =>
      secret.length > end && secret[0] === text[at] && text.startsWith(secret.slice(0, end), at);
    if (secrets.some(begins)) return at;
  }
  return text.length;
}
