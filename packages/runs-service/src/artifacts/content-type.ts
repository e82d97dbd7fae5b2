import { isUtf8 } from 'node:buffer';

const png = Buffer.from('89504e470d0a1a0a', 'hex');
const jpeg = Buffer.from('ffd8ff', 'hex');

/** Returns the type of a file, read from its first bytes, because a name can be misleading. */
export function contentTypeOf(start: Buffer): string {
  const begins = (text: string, at = 0) =>
    start.subarray(at, at + text.length).toString('latin1') === text;
  if (start.subarray(0, png.length).equals(png)) return 'image/png';
  if (start.subarray(0, jpeg.length).equals(jpeg)) return 'image/jpeg';
  if (begins('GIF87a') || begins('GIF89a')) return 'image/gif';
  if (begins('RIFF') && begins('WEBP', 8)) return 'image/webp';
  if (begins('%PDF-')) return 'application/pdf';
  if (begins('PK\u0003\u0004')) return 'application/zip';
  return isText(start) ? 'text/plain' : 'application/octet-stream';
}

/** Content types of the files that the runs service adds to a run, by file name. Their bytes don't show the type. */
const ownTypes = new Map([
  ['changes.patch', 'text/x-diff'],
  ['incomplete.patch', 'text/x-diff'],
  ['answer.md', 'text/markdown'],
]);

/**
 * Returns the content type of a file. Names of files that the service writes are recognized, unless the bytes show
 * another type.
 */
export function ownTypeOf(name: string, start: Buffer): string {
  const found = contentTypeOf(start);
  const isUntold = found === 'text/plain' || found === 'application/octet-stream';
  return (isUntold ? ownTypes.get(name) : undefined) ?? found;
}

export const isImage = (contentType: string): boolean => contentType.startsWith('image/');

/** Returns true for UTF-8 text. `start` may end within a character. */
const isText = (start: Buffer): boolean =>
  !start.includes(0) &&
  (isUtf8(start) || [1, 2, 3].some((cut) => cut < start.length && isUtf8(start.subarray(0, -cut))));

/**
 * Matches the name of an internet shortcut, which is an INI file with a line `URL=…`. Browsers create such files, and
 * agents easily can.
 */
const isShortcut = /\.url$/i;
const maxBytes = 4_096;
/** Max characters of a link's title. A remote run can report 200 UTF-16 units, and a character needs at most two. */
const maxTitle = 100;

/**
 * Returns the target of an internet shortcut. Returns undefined for other files, and for addresses with a password or
 * another scheme than HTTP.
 */
export function linkIn(path: string, start: Buffer): { url: string; title: string } | undefined {
  if (!isShortcut.test(path) || start.length >= maxBytes) return undefined;
  const address = /^URL=(\S+)\s*$/im.exec(start.toString('utf8'))?.[1] ?? '';
  if (!isWebUrl(address)) return undefined;
  const { href } = new URL(address);
  const name = path.split('/').at(-1) ?? '';
  const title = name.replace(isShortcut, '') || href;
  return { url: href, title: [...title].slice(0, maxTitle).join('') };
}

export function isWebUrl(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
