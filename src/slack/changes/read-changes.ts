import { type PatchFile, readPatch } from 'base/read-patch';
import { createMask } from 'base/secrets/mask-secrets';
import type { Promised, RunsClient } from 'runs-client';
import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import { patchOf } from '../runs/showing/run-artifacts.ts';
import { failureSentence } from '../text/failure.ts';

export type ReadChanges = {
  files: PatchFile[];
  /** True if only the beginning of the patch was read. */
  isLonger: boolean;
  /** Link to the unmasked patch, and the time when it expires in epoch ms. */
  download: { url: string; until: number | undefined } | undefined;
};

/** Short timeout and one retry, because a person is watching the modal. */
const callOptions = { timeoutMs: 5_000, maxRetries: 1 } as const;
const downloadOptions = { timeoutMs: 15_000, maxBytes: 50 * 1024 * 1024 } as const;
/** Max bytes to read of a patch. It's twice as much as is shown. */
const bytesRead = 200 * 1024;

/** Reads what a run changed, with secrets masked, or says why that can't be shown. */
export async function readChanges(
  connect: (connectionId: string) => Promise<{
    artifacts: Pick<Promised<RunsClient['artifacts']>, 'get' | 'download'>;
  }>,
  { run, connectionId }: { run: Run | null; connectionId: string },
): Promise<ReadChanges | { sentence: string }> {
  const patch = patchOf(run);
  if (!patch) return { sentence: gone };
  try {
    const { artifacts } = await connect(connectionId);
    const { data } = await artifacts.get(patch.uid, callOptions);
    if (!data.download_url) return { sentence: gone };
    const { bytes } = await artifacts.download(data.download_url, downloadOptions);
    const isLonger = bytes.length > bytesRead;
    const read = bytes.subarray(0, bytesRead);
    const whole = isLonger ? read.subarray(0, read.lastIndexOf(0x0a) + 1) : read;
    const mask = createMask(0, { keepsLines: true });
    const until = Date.parse(data.expires_at ?? '');
    return {
      files: readPatch(mask(whole.toString('utf8'))),
      isLonger,
      download: {
        url: String(data.browser_url ?? data.download_url),
        until: Number.isNaN(until) ? undefined : until,
      },
    };
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    const isGone = error.code === 'not_found';
    return { sentence: isGone ? gone : failureSentence(error.code, connectionId) };
  }
}

const gone = "The runs service doesn't have these changes anymore.";
