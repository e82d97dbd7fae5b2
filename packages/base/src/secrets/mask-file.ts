import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import type { Mask } from './mask-secrets.ts';

/** Returns a sentence about secrets that are masked in files. */
export const maskedNote = (count: number) =>
  `${count} ${count === 1 ? 'value that looks like a secret is' : 'values that look like secrets are'} masked in the files.`;

/** Max characters to mask without a pause. Masking a megabyte takes 150 ms, so other work must run in between. */
const pieceLength = 64 * 1024;
const keyStart = /-BEGIN [A-Z0-9 ]*PRIVATE KEY|PuTTY-User-Key-File-\d:/g;
const keyEnd = /-END [A-Z0-9 ]*PRIVATE KEY|Private-MAC: /g;

/** Masks secrets in text. Other bytes are returned unchanged. */
export async function maskFile(bytes: Buffer, mask: Mask): Promise<Buffer> {
  const encoding = encodingOf(bytes);
  if (!encoding) return bytes;
  return Buffer.from(await maskText(bytes.toString(encoding), mask), encoding);
}

/** Masks secrets in a text of any length. */
export async function maskText(text: string, mask: Mask): Promise<string> {
  const masked: string[] = [];
  let piece = '';
  for (const line of text.split(/(?<=\n)/)) {
    piece += line;
    if (piece.length < pieceLength || isInKey(piece)) continue;
    masked.push(mask(piece));
    piece = '';
    await setImmediate();
  }
  return [...masked, mask(piece)].join('');
}

/**
 * Returns the encoding of a text file, or undefined for a binary file. Windows writes UTF-16 with a byte order mark.
 * Older encodings are read as Latin-1, which keeps their bytes, because masks are ASCII.
 */
function encodingOf(bytes: Buffer): 'utf8' | 'utf16le' | 'latin1' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe && bytes.length % 2 === 0) return 'utf16le';
  if (bytes.includes(0)) return undefined;
  return isUtf8(bytes) ? 'utf8' : 'latin1';
}

/** Returns true if the text ends inside a private key. A key that is cut in two wouldn't be masked. */
const isInKey = (piece: string): boolean =>
  piece.length < 2 * pieceLength && lastAt(piece, keyStart) > lastAt(piece, keyEnd);

const lastAt = (text: string, pattern: RegExp): number =>
  [...text.matchAll(pattern)].at(-1)?.index ?? -1;
