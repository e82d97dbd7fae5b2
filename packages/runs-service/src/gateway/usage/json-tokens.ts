const maxKeptBytes = 256;
const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const openBrace = 0x7b;
const closeBracket = 0x5d;
const closeBrace = 0x7d;
const comma = 0x2c;
const colon = 0x3a;

export type JsonMark = '{' | '[' | 'close' | ',' | ':';

type TokenHandlers = {
  onMark: (mark: JsonMark) => void;
  /** Called when a string or another value starts. Decides what happens to its bytes. */
  onStart: () => 'keep' | 'count' | 'skip';
  /** Called with the value of a token to keep, or undefined if it's too long or wrong. */
  onValue: (value: string | number | undefined) => void;
  onCounted: (bytes: number) => void;
};

/** Cuts JSON that arrives in chunks into tokens. It keeps at most 256 bytes. It never throws, whatever the bytes are. */
export function createJsonTokenizer({ onMark, onStart, onValue, onCounted }: TokenHandlers) {
  const kept = Buffer.alloc(maxKeptBytes);
  let keptBytes = 0;
  let token: 'none' | 'string' | 'scalar' = 'none';
  let purpose: 'keep' | 'count' | 'skip' = 'skip';
  let isEscaped = false;

  return {
    push(chunk: Buffer): void {
      let at = 0;
      while (at < chunk.length)
        at = token === 'string' ? readString(chunk, at) : readByte(chunk[at] ?? 0, at);
    },
    /** Forgets the token that isn't complete. */
    reset(): void {
      token = 'none';
      isEscaped = false;
    },
  };

  function readByte(byte: number, at: number): number {
    const mark = markOf(byte);
    if (token === 'scalar' && (mark || byte === quote || byte <= 0x20)) end();
    if (mark) onMark(mark);
    else if (byte === quote) start('string');
    else if (byte > 0x20) {
      if (token === 'none') start('scalar');
      if (purpose === 'keep') keep(Buffer.of(byte));
    }
    return at + 1;
  }

  function start(kind: 'string' | 'scalar'): void {
    token = kind;
    keptBytes = 0;
    purpose = onStart();
  }

  /** Reads to the end of the string or of the chunk. Returns the position after it. */
  function readString(chunk: Buffer, start: number): number {
    let from = start;
    for (;;) {
      const found = chunk.indexOf(quote, from);
      const stop = found === -1 ? chunk.length : found;
      let slashes = 0;
      while (stop - slashes > start && chunk[stop - slashes - 1] === backslash) slashes += 1;
      if (isEscaped && stop - slashes === start) slashes += 1;
      const escapesNext = slashes % 2 === 1;
      if (found !== -1 && escapesNext) {
        from = found + 1;
        continue;
      }
      if (purpose === 'keep') keep(chunk.subarray(start, stop));
      else if (purpose === 'count') onCounted(stop - start);
      isEscaped = escapesNext;
      if (found === -1) return stop;
      end();
      return stop + 1;
    }
  }

  function keep(bytes: Buffer): void {
    if (keptBytes < maxKeptBytes) bytes.copy(kept, keptBytes);
    keptBytes += bytes.length;
  }

  function end(): void {
    const text = keptBytes > maxKeptBytes ? undefined : kept.toString('utf8', 0, keptBytes);
    const isString = token === 'string';
    token = 'none';
    if (purpose === 'keep') onValue(isString ? unescaped(text) : numberOf(text));
  }
}

function markOf(byte: number): JsonMark | undefined {
  if (byte === openBrace) return '{';
  if (byte === openBracket) return '[';
  if (byte === closeBrace || byte === closeBracket) return 'close';
  if (byte === comma) return ',';
  return byte === colon ? ':' : undefined;
}

function unescaped(raw: string | undefined): string | undefined {
  if (!raw?.includes('\\')) return raw;
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return;
  }
}

function numberOf(raw: string | undefined): number | undefined {
  const number = Number(raw);
  return Number.isFinite(number) ? number : undefined;
}
