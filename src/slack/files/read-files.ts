import type { WebClient } from '@slack/web-api';
import { maskedNote, maskFile } from 'base/secrets/mask-file';
import { createMask } from 'base/secrets/mask-secrets';
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
