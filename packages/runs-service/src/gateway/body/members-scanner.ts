/** Member of an object, or item of an array, which has the key ''. */
export type Member = {
  key: string;
  /** JSON of a wanted value. Empty for other values. */
  value: Buffer;
  /** Position of the value in the whole JSON, in bytes. */
  start: number;
  /** Position where the value ends in the whole JSON, in bytes. */
  end: number;
};

/** Result of reading JSON. A problem is the end of a sentence that starts with "The request body". */
export type Members = { members: Member[] } | { problem: string };

type Options = {
  root: 'object' | 'array';
  /** Returns true for keys with a value to keep. */
  isWanted: (key: string) => boolean;
  maxValueBytes: number;
};

/**
 * Returns the form in which keys are compared. Some servers ignore case and underscores in keys, so two keys that differ
 * only in these count as the same.
 */
export const formOf = (key: string) => key.toLowerCase().toUpperCase().replaceAll('_', '');

const maxKeyBytes = 1024;
const maxMembers = 10_000;
const maxDepth = 512;
const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Bytes of JSON outside strings, without brackets. Other bytes would start a comment, for example. */
const isPlain = tableOf(' \t\r\n,:0123456789+-.eEtrufalsn');
const isSpace = tableOf(' \t\r\n');

/** Returns 1 for each byte of the text. A table is faster than a set. */
function tableOf(text: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(text)) table[byte] = 1;
  return table;
}

const invalid = "isn't valid JSON";

/**
 * Reads the members of one JSON object or array that arrives in chunks. It's much faster than a parser, because it only
 * skips over values. It's strict, so that a provider can't read something else than the gateway.
 */
export class MembersScanner {
  readonly #options: Options;
  readonly #members: Member[] = [];
  /** True for each open object, false for each open array. */
  readonly #open: boolean[] = [];
  #state: 'start' | 'key' | 'colon' | 'value' | 'rest' | 'end' = 'start';
  #problem: string | undefined;
  #position = 0;
  #inString = false;
  /** Number of backslashes at the end of the previous chunk, within a string. */
  #backslashes = 0;
  /** Bytes of the current key or wanted value in earlier chunks. */
  #captured: Buffer[] | undefined;
  #capturedBytes = 0;
  #captureFrom = 0;
  #key = '';
  /** True after a comma, so that the object or array can't end. */
  #needsNext = false;

  constructor(options: Options) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    this.#captureFrom = 0;
    let at = 0;
    while (at < chunk.length && this.#problem === undefined)
      at = this.#inString ? this.#skipString(chunk, at) : this.#readByte(chunk, at);
    this.#capture(chunk, chunk.length);
    this.#position += chunk.length;
  }

  end(): Members {
    if (this.#state !== 'end') this.#problem ??= invalid;
    return this.#problem === undefined ? { members: this.#members } : { problem: this.#problem };
  }

  /** Returns the position after the string, or the chunk's end. */
  #skipString(chunk: Buffer, start: number): number {
    for (let at = start; ; ) {
      const end = chunk.indexOf(quote, at);
      const stop = end === -1 ? chunk.length : end;
      let count = 0;
      while (stop - count > at && chunk[stop - count - 1] === backslash) count += 1;
      if (stop - count === start) count += this.#backslashes;
      this.#backslashes = 0;
      if (end === -1) {
        this.#backslashes = count % 2;
        return stop;
      }
      at = end + 1;
      if (count % 2 === 1) continue;
      this.#inString = false;
      if (this.#state === 'key') this.#endKey(chunk, at);
      return at;
    }
  }

  #readByte(chunk: Buffer, at: number): number {
    const byte = chunk[at] ?? 0;
    if (this.#open.length > 1) this.#readInside(byte);
    else if (isSpace[byte] === 0) this.#readTop(chunk, at, byte);
    return at + 1;
  }

  /** Reads a byte of a value. */
  #readInside(byte: number): void {
    if (byte === quote) this.#inString = true;
    else if (byte === openBrace || byte === openBracket) this.#openValue(byte);
    else if (isClosing(byte)) this.#closeValue(byte);
    else if (isPlain[byte] === 0) this.#problem = invalid;
  }

  #readTop(chunk: Buffer, at: number, byte: number): void {
    const isObject = this.#options.root === 'object';
    switch (this.#state) {
      case 'start':
        if (byte !== (isObject ? openBrace : openBracket)) this.#problem = invalid;
        this.#openValue(byte);
        this.#state = isObject ? 'key' : 'value';
        break;
      case 'key':
        if (isClosing(byte)) this.#endRoot(byte);
        else this.#startKey(at, byte);
        break;
      case 'colon':
        if (byte !== colon) this.#problem = invalid;
        this.#state = 'value';
        break;
      case 'value':
        if (!isObject && isClosing(byte)) this.#endRoot(byte);
        else this.#startValue(at, byte);
        break;
      case 'rest':
        if (byte === comma || isClosing(byte)) this.#endValue(chunk, at, byte);
        else this.#readInside(byte);
        break;
      case 'end':
        this.#problem = invalid;
    }
  }

  #startKey(at: number, byte: number): void {
    if (byte !== quote) this.#problem = invalid;
    this.#inString = true;
    this.#startCapture(at);
  }

  #openValue(byte: number): void {
    if (this.#open.length >= maxDepth) this.#problem = 'has too many levels';
    this.#open.push(byte === openBrace);
  }

  #closeValue(byte: number): void {
    if (this.#open.pop() !== (byte === closeBrace)) this.#problem = invalid;
  }

  #endRoot(byte: number): void {
    if (this.#needsNext) this.#problem = invalid;
    this.#closeValue(byte);
    this.#state = 'end';
  }

  #endKey(chunk: Buffer, end: number): void {
    const key = stringOf(this.#endCapture(chunk, end));
    if (key === undefined) this.#problem ??= invalid;
    this.#key = key ?? '';
    this.#state = 'colon';
  }

  #startValue(at: number, byte: number): void {
    const key = this.#key;
    const start = this.#position + at;
    this.#members.push({ key, value: Buffer.alloc(0), start, end: start });
    if (this.#members.length > maxMembers) this.#problem = 'has too many members';
    if (this.#options.isWanted(key)) this.#startCapture(at);
    this.#state = 'rest';
    this.#needsNext = false;
    if (byte === comma || byte === colon || isClosing(byte)) this.#problem = invalid;
    else this.#readInside(byte);
  }

  #endValue(chunk: Buffer, at: number, byte: number): void {
    const member = this.#members.at(-1);
    if (member) {
      member.value = this.#endCapture(chunk, at);
      member.end = this.#position + at;
    }
    this.#needsNext = byte === comma;
    if (byte === comma) this.#state = this.#options.root === 'object' ? 'key' : 'value';
    else this.#endRoot(byte);
  }

  #startCapture(at: number): void {
    this.#captured = [];
    this.#capturedBytes = 0;
    this.#captureFrom = at;
  }

  #capture(chunk: Buffer, end: number): void {
    if (!this.#captured) return;
    const bytes = chunk.subarray(this.#captureFrom, end);
    this.#capturedBytes += bytes.length;
    const max = this.#state === 'key' ? maxKeyBytes : this.#options.maxValueBytes;
    if (this.#capturedBytes <= max) this.#captured.push(Buffer.from(bytes));
    else this.#problem ??= `has a member that is larger than ${max} bytes`;
  }

  #endCapture(chunk: Buffer, end: number): Buffer {
    this.#capture(chunk, end);
    const all = Buffer.concat(this.#captured ?? []);
    this.#captured = undefined;
    return all;
  }
}

const isClosing = (byte: number) => byte === closeBrace || byte === closeBracket;

/** Returns the text of a JSON string. Undefined for anything else. */
export function stringOf(json: Buffer): string | undefined {
  if (json[0] !== quote) return undefined;
  try {
    return String(JSON.parse(json.toString('utf8')));
  } catch {
    return undefined;
  }
}
