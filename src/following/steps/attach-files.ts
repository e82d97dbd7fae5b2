import type { Attachment } from 'runs-client/attachment';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { RequestFile } from '../../requests/origin.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';

export type FilesRead = {
  attachments: Attachment[];
  /** Sentences about files that aren't sent, or not as they are. Masked. */
  notes: string[];
  /** Another try may read more. */
  canPass: boolean;
};

/** `masks`: how many secrets are masked in the texts of the request. */
type ReadFiles = (
  teamId: string,
  files: readonly RequestFile[],
  options: { masks: number; signal: AbortSignal },
) => Promise<FilesRead>;

/** Then the run starts without the files that Slack doesn't return. */
const longestWaitMs = 60_000;

/** With their copies on the way to the service, the files of a request can take 100 MB. */
const mostAtOnce = 4;

export type RequestFiles = ReturnType<typeof createRequestFiles>;

/** The files of requests, of which a process holds those of a few at once. */
export function createRequestFiles(read: ReadFiles) {
  let working = 0;
  return {
    read,

    /** Work on a request; `later` if it has files, and this process holds those of enough others. */
    async inTurn<T>(
      { origin }: Pick<RunRequest, 'origin'>,
      work: () => Promise<T>,
    ): Promise<T | 'later'> {
      if (!origin?.files?.length) return work();
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

/** Reads the files that go to the agent with the prompt. Returns `later` while Slack may still return more of them. */
export async function readAttachments(
  { read }: RequestFiles,
  { teamId, origin, acceptedAt }: RunRequest,
  signal: AbortSignal,
): Promise<Omit<FilesRead, 'canPass'> | 'later'> {
  const files = origin?.files ?? [];
  if (files.length === 0) return { attachments: [], notes: [] };
  const masks = origin?.context?.masked ?? 0;
  const { canPass, ...content } = await read(teamId, files, { masks, signal });
  const isLate = Date.now() - acceptedAt > longestWaitMs;
  return signal.aborted || (canPass && !isLate) ? 'later' : content;
}

/** Returns true if a service rejected a run because of its files: it says so, or they are too large. */
export function refusesFiles(error: unknown): boolean {
  if (!(error instanceof RunsApiError)) return false;
  const { status, problem, message } = error;
  if (status === 413) return true;
  const words = [problem?.detail, problem?.title, problem?.error, message].join(' ');
  return (status === 400 || status === 422) && /attachments/i.test(words);
}

export const unaccepted = "The files weren't sent because the runs service doesn't accept them.";

export const withoutFiles: Omit<FilesRead, 'canPass'> = { attachments: [], notes: [unaccepted] };

/** Files take longer to send. */
export const attachTimeoutMs = 30_000;
