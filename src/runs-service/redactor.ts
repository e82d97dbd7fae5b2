/** Shorter values occur by chance; hiding them would spoil the output and show where they stand. */
const shortestSecret = 6;
/** Of a secret with several lines, a key for instance, each line that is not short: a patch has them one by one. */
const shortestLine = 12;
const hidden = '[secret]';

export type Redactor = {
  /** What can be shown by now: the end is held back while it may be the beginning of a secret. */
  push(chunk: Buffer): Buffer;
  flush(): Buffer;
};

/** Takes secrets out of a stream of bytes, also where they lie across its parts. */
export function createRedactor(secrets: readonly string[]): Redactor {
  // Latin-1 is one character a byte: no part of a character is ever lost at the edge of a chunk.
  const wanted = secretsOf(secrets).map((secret) => Buffer.from(secret).toString('latin1'));
  const heldBack = Math.max(0, ...wanted.map((secret) => secret.length - 1));
  let waiting = '';
  return {
    push(chunk) {
      if (wanted.length === 0) return chunk;
      const text = replaceAll(waiting + chunk.toString('latin1'), wanted);
      const end = Math.max(0, text.length - heldBack);
      waiting = text.slice(end);
      return Buffer.from(text.slice(0, end), 'latin1');
    },
    flush() {
      const rest = Buffer.from(waiting, 'latin1');
      waiting = '';
      return rest;
    },
  };
}

export function redact(text: string, secrets: readonly string[]): string {
  return replaceAll(text, secretsOf(secrets));
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

function replaceAll(text: string, secrets: readonly string[]): string {
  return secrets.reduce((result, secret) => result.replaceAll(secret, hidden), text);
}
