import { maskedNote } from 'base/secrets/mask-file';
import { maskJson } from 'base/secrets/mask-json';
import { countMasks, createMask } from 'base/secrets/mask-secrets';
import type { Attachment } from 'runs-client/attachment';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { RequestFile } from '../../requests/origin.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';

export type FilesRead = {
  attachments: Attachment[];
  /** Sentences that say which files are left out or changed. Secrets are masked. */
  notes: string[];
  /** True if more files may be readable in another try. */
  canPass: boolean;
};

/** Reads files from Slack. `masks` is the number of secrets that are already masked in the request's texts. */
type ReadFiles = (
  teamId: string,
  files: readonly RequestFile[],
  options: { masks: number; signal: AbortSignal },
) => Promise<FilesRead>;

/** Reads the payload that fired an automation. Undefined if it's deleted. */
type ReadPayload = (firingId: string) => Promise<string | undefined>;

/** Max wait for files that Slack doesn't return, in ms. After that, the run starts without them. */
const longestWaitMs = 60_000;

/** Max requests whose files are in memory at once. With copies, the files of one request can use 100 MB. */
const mostAtOnce = 4;

export type RequestFiles = ReturnType<typeof createRequestFiles>;

/** Creates a reader of request files that limits how many requests have files in memory. */
export function createRequestFiles(read: ReadFiles, readPayload: ReadPayload) {
  let working = 0;
  return {
    read,
    readPayload,

    /**
     * Runs `work` for a request. Returns `later` if the request has files, and too many other requests have theirs in
     * memory.
     */
    async inTurn<T>(
      { origin }: Pick<RunRequest, 'origin'>,
      work: () => Promise<T>,
    ): Promise<T | 'later'> {
      if (!origin?.files?.length && !origin?.automation?.payloadOf) return work();
      if (working >= mostAtOnce) return 'later';
      working += 1;
      try {
        return await work();
      } finally {
        working -= 1;
      }
    },
  };
}

/** Reads the files to send with the prompt. Returns `later` while Slack may still return more of them. */
export async function readAttachments(
  { read, readPayload }: RequestFiles,
  { teamId, origin, prompt, acceptedAt }: RunRequest,
  signal: AbortSignal,
): Promise<Omit<FilesRead, 'canPass'> | 'later'> {
  const files = origin?.files ?? [];
  const payloadOf = origin?.automation?.payloadOf;
  if (payloadOf !== undefined) return attachPayload(await readPayload(payloadOf), prompt);
  if (files.length === 0) return { attachments: [], notes: [] };
  const masks = origin?.context?.masked ?? 0;
  const { canPass, ...content } = await read(teamId, files, { masks, signal });
  const isLate = Date.now() - acceptedAt > longestWaitMs;
  return signal.aborted || (canPass && !isLate) ? 'later' : content;
}

/** Name of the file with the payload that fired an automation. */
export const payloadFile = 'untrusted-payload.json';

/** Returns the payload as a file. Numbers of masks continue after those in the prompt. */
async function attachPayload(
  payload: string | undefined,
  prompt: string,
): Promise<Omit<FilesRead, 'canPass'>> {
  if (payload === undefined)
    return { attachments: [], notes: [`${payloadFile} wasn't sent because it was deleted.`] };
  const mask = createMask(countMasks(prompt));
  const data = Buffer.from(await maskJson(payload, mask)).toString('base64');
  return {
    attachments: [{ file_name: payloadFile, mime_type: 'application/json', data }],
    notes: mask.count() > 0 ? [maskedNote(mask.count())] : [],
  };
}

/**
 * Returns true if a service rejected a run because of its files. The service's message says so, or the request was too
 * large.
 */
export function rejectsFiles(error: unknown): boolean {
  if (!(error instanceof RunsApiError)) return false;
  const { status, problem, message } = error;
  if (status === 413) return true;
  const words = [problem?.detail, problem?.title, problem?.error, message].join(' ');
  return (status === 400 || status === 422) && /attachments/i.test(words);
}

export const unaccepted = "The files weren't sent because the runs service doesn't accept them.";

export const withoutFiles: Omit<FilesRead, 'canPass'> = { attachments: [], notes: [unaccepted] };

/** Max time of a create call with files, in ms, because files take longer to send. */
export const attachTimeoutMs = 30_000;
