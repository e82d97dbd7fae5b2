import type { WebClient } from '@slack/web-api';
import { createMask } from 'base/secrets/mask-secrets';
import type { Attachment } from 'runs-client/attachment';
import type { FilesRead } from '../../following/steps/attach-files.ts';
import type { RequestFile } from '../../requests/origin.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { type DownloadParts, downloadFile, fileInfoSchema } from './download-file.ts';
import { maskFile } from './mask-file.ts';
import { fileLimits, whyNot } from './message-files.ts';

type Parts = DownloadParts & { client: Pick<WebClient, 'files'> };

/** What a file came to; `why` ends the sentence "a.txt wasn't sent because …". */
type ReadFile = { mimeType: string; bytes: Buffer } | { why: string; mayPass?: true };

/** Reads the files of a request from Slack, and masks secrets in those that are text. */
export function createFileReader(parts: Parts) {
  return async (
    files: readonly RequestFile[],
    { masks, signal }: { masks: number; signal: AbortSignal },
  ): Promise<FilesRead> => {
    const mask = createMask(masks);
    const sent: { bytes: number }[] = [];
    const read: FilesRead = { attachments: [], notes: [], mayPass: false };
    for (const file of files) {
      const one = await readFile(parts, file, signal);
      const problem = 'why' in one ? undefined : whyNot({ bytes: one.bytes.length }, sent);
      if ('why' in one) {
        read.notes.push(`${file.name} wasn't sent because ${one.why}.`);
        read.mayPass ||= one.mayPass === true;
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

async function readFile(parts: Parts, file: RequestFile, signal: AbortSignal): Promise<ReadFile> {
  try {
    // Asked again, because the address changes, and the file may have been deleted or replaced.
    const answer = await parts.client.files.info({ file: file.id });
    const info = fileInfoSchema.parse(answer.file);
    const url = info.url_private_download || info.url_private;
    if (!url) return { why: noAccess };
    const maxBytes = fileLimits.bytes;
    const downloaded = await downloadFile(parts, url, { maxBytes, signal });
    switch (downloaded.outcome) {
      case 'read':
        return { mimeType: info.mimetype || file.mimeType, bytes: downloaded.bytes };
      case 'later':
        return unreachable;
      case 'refused':
        return { why: noAccess };
      case 'too_large':
        return { why: "it's larger than 5 MB" };
    }
  } catch (error) {
    const failure = readSlackFailure(error);
    if (failure.reason === 'missing_scope') return { why: noScope };
    if (failure.outcome === 'later') return unreachable;
    return { why: whyRefused.get(failure.reason) ?? noAccess };
  }
}

/** Slack doesn't find files in conversations that the app isn't in. */
const whyRefused = new Map([
  ['file_deleted', 'it was deleted'],
  ['file_not_found', "it was deleted, or the app isn't in its conversation"],
]);

const unreachable: ReadFile = { why: "Slack didn't return it", mayPass: true };
const noAccess = "the app can't read it";
const noScope =
  "the app doesn't have permission to read files. To allow it, an admin reinstalls the app with files:read";
