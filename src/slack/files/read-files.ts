import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import type { WebClient } from '@slack/web-api';
import { createMask, type Mask } from 'base/secrets/mask-secrets';
import type { Attachment } from 'runs-client/attachment';
import type { FilesRead } from '../../following/steps/attach-files.ts';
import type { RequestFile } from '../../requests/origin.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { type DownloadDeps, downloadFile, fileInfoSchema } from './download-file.ts';
import { fileLimits, whyNot } from './message-files.ts';

type Deps = DownloadDeps & { client: WebClient };

/**
 * Content of a file, or why it can't be read. `why` completes the sentence "a.txt wasn't sent because …". `canPass` is
 * true if a later attempt may work.
 */
type ReadFile = { mimeType: string; bytes: Buffer } | { why: string; canPass?: true };

/** Creates a function that reads the files of a request from Slack, and masks secrets in text files. */
export function createFileReader(deps: Deps) {
  return async (
    files: readonly RequestFile[],
    { masks, signal }: { masks: number; signal: AbortSignal },
  ): Promise<FilesRead> => {
    const mask = createMask(masks);
    const sent: { bytes: number }[] = [];
    const read: FilesRead = { attachments: [], notes: [], canPass: false };
    for (const file of files) {
      const one = await readFile(deps, file, signal);
      const problem = 'why' in one ? undefined : whyNot({ bytes: one.bytes.length }, sent);
      if ('why' in one) {
        read.notes.push(`${file.name} wasn't sent because ${one.why}.`);
        read.canPass ||= one.canPass === true;
      } else if (problem) read.notes.push(`${file.name} ${problem}.`);
      else {
        sent.push({ bytes: one.bytes.length });
        read.attachments.push(attachmentOf(file, one.mimeType, await maskFile(one.bytes, mask)));
      }
    }
    if (mask.count() > 0) read.notes.push(maskedNote(mask.count()));
    return read;
  };
}

const attachmentOf = ({ name }: RequestFile, mime_type: string, bytes: Buffer): Attachment => ({
  file_name: name,
  mime_type,
  data: bytes.toString('base64'),
});

const maskedNote = (count: number) =>
  `${count} ${count === 1 ? 'value that looks like a secret is' : 'values that look like secrets are'} masked in the files.`;

async function readFile(deps: Deps, file: RequestFile, signal: AbortSignal): Promise<ReadFile> {
  try {
    // Read the current address, because the file may have been replaced or deleted since the message.
    const answer = await deps.client.files.info({ file: file.id });
    const info = fileInfoSchema.parse(answer.file);
    const url = info.url_private_download || info.url_private;
    if (!url) return { why: noAccess };
    const maxBytes = fileLimits.bytes;
    const downloaded = await downloadFile(deps, url, { maxBytes, signal });
    switch (downloaded.outcome) {
      case 'read':
        return { mimeType: info.mimetype || file.mimeType, bytes: downloaded.bytes };
      case 'later':
        return unreachable;
      case 'denied':
        return { why: noAccess };
      case 'too_large':
        return { why: "it's larger than 5 MB" };
    }
  } catch (error) {
    const failure = readSlackFailure(error);
    if (failure.reason === 'missing_scope') return { why: noScope };
    if (failure.outcome === 'later') return unreachable;
    return { why: whyDenied.get(failure.reason) ?? noAccess };
  }
}

/**
 * Reasons why Slack denies a file, by error code. `file_not_found` can also mean that the app isn't in the file's
 * conversation.
 */
const whyDenied = new Map([
  ['file_deleted', 'it was deleted'],
  ['file_not_found', "it was deleted, or the app isn't in its conversation"],
]);

const unreachable: ReadFile = { why: "Slack didn't return it", canPass: true };
const noAccess = "the app can't read it";
const noScope =
  "the app doesn't have permission to read files. To allow it, an admin reinstalls the app with files:read";

/** Max characters to mask without a pause. Masking a megabyte takes 150 ms, so other work must run in between. */
const pieceLength = 64 * 1024;
const keyStart = /-BEGIN [A-Z0-9 ]*PRIVATE KEY|PuTTY-User-Key-File-\d:/g;
const keyEnd = /-END [A-Z0-9 ]*PRIVATE KEY|Private-MAC: /g;

/** Masks secrets in text. Other bytes are returned unchanged. */
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
