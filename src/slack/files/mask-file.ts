import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import type { Mask } from 'base/secrets/mask-secrets';

/** Masking a megabyte takes 150 ms, so other work comes in between. */
const pieceLength = 64 * 1024;
const keyStart = /-BEGIN [A-Z0-9 ]*PRIVATE KEY|PuTTY-User-Key-File-\d:/g;
const keyEnd = /-END [A-Z0-9 ]*PRIVATE KEY|Private-MAC: /g;

/** The same bytes with secrets masked if they're text; anything else stays as it is. */
export async function maskFile(bytes: Buffer, mask: Mask): Promise<Buffer> {
  const encoding = encodingOf(bytes);
  if (!encoding) return bytes;
  const masked: string[] = [];
  let piece = '';
  for (const line of bytes.toString(encoding).split(/(?<=\n)/)) {
    piece += line;
    if (piece.length < pieceLength || isInKey(piece)) continue;
    masked.push(mask(piece));
    piece = '';
    await setImmediate();
  }
  return Buffer.from([...masked, mask(piece)].join(''), encoding);
}

/** Windows writes UTF-16 with a mark. Older encodings have a byte for each character, and masks are ASCII. */
function encodingOf(bytes: Buffer): 'utf8' | 'utf16le' | 'latin1' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe && bytes.length % 2 === 0) return 'utf16le';
  if (bytes.includes(0)) return undefined;
  return isUtf8(bytes) ? 'utf8' : 'latin1';
}

/** A key of several lines mustn't be cut. No key is as long as a piece. */
const isInKey = (piece: string): boolean =>
  piece.length < 2 * pieceLength && lastAt(piece, keyStart) > lastAt(piece, keyEnd);

const lastAt = (text: string, pattern: RegExp): number =>
  [...text.matchAll(pattern)].at(-1)?.index ?? -1;
