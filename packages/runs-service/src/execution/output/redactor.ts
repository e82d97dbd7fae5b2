/**
 * Min length of a secret to mask. Shorter values occur by chance, so masking them would garble the output and reveal
 * where they are.
 */
const minSecretLength = 6;
/**
 * Min length, in characters, at which single lines of a secret are masked. A patch, for example, separates the lines of
 * a key.
 */
const minLineLength = 12;
const mask = '[secret]';

type Redactor = {
  /** Returns the bytes with secrets masked. Holds back the last bytes if they could be the start of a secret. */
  push(chunk: Buffer): Buffer;
  flush(): Buffer;
};

/** Creates a filter that masks secrets in a stream of bytes, even across chunks. */
export function createRedactor(secrets: readonly string[]): Redactor {
  // Read bytes as Latin-1, which has one character per byte, so that the edge of a chunk never splits a character.
  const wanted = variantsOf(secrets).map((secret) => Buffer.from(secret).toString('latin1'));
  const pattern = patternOf(wanted);
  let held = '';
  return {
    push(chunk) {
      if (pattern === undefined) return chunk;
      const text = held + chunk.toString('latin1');
      let shown = '';
      let from = 0;
      let end = startOfSecret(text, wanted, 0);
      for (const { index, 0: found } of text.matchAll(pattern)) {
        // Wait for the next chunk, because it can turn this text into a longer secret.
        if (index >= end) break;
        shown += text.slice(from, index) + mask;
        from = index + found.length;
        if (from > end) end = startOfSecret(text, wanted, from);
      }
      held = text.slice(end);
      return Buffer.from(shown + text.slice(from, end), 'latin1');
    },
    flush() {
      const rest = pattern === undefined ? held : held.replace(pattern, mask);
      held = '';
      return Buffer.from(rest, 'latin1');
    },
  };
}

/**
 * Returns the secrets, their lines, and the JSON form of both, which many agents print. Longer variants come first,
 * because one can contain another.
 */
function variantsOf(secrets: readonly string[]): string[] {
  const lines = secrets.flatMap((secret) => secret.split('\n')).map((line) => line.trim());
  const long = [
    ...secrets.filter((secret) => secret.length >= minSecretLength),
    ...lines.filter((line) => line.length >= minLineLength),
  ];
  const escaped = long.map((secret) => JSON.stringify(secret).slice(1, -1));
  return [...new Set([...long, ...escaped])].sort((a, b) => b.length - a.length);
}

function patternOf(texts: readonly string[]): RegExp | undefined {
  if (texts.length === 0) return undefined;
  return new RegExp(
    texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'),
    'g',
  );
}

/**
 * Returns the position where an unfinished secret could start at the end of the text. Returns the text's length if
 * there is none.
 */
function startOfSecret(text: string, secrets: readonly string[], from: number): number {
  const longest = Math.max(...secrets.map((secret) => secret.length)) - 1;
  for (let at = Math.max(from, text.length - longest); at < text.length; at += 1) {
    const end = text.length - at;
    const isStart = (secret: string) =>
      secret.length > end && secret[0] === text[at] && text.startsWith(secret.slice(0, end), at);
    if (secrets.some(isStart)) return at;
  }
  return text.length;
}
