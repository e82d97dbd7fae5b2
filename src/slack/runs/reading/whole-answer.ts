import { maskSecrets } from 'base/secrets/mask-secrets';
import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import { z } from 'zod';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { Connect } from '../../configuration/connect.ts';
import { answerOf } from '../showing/run-outcome.ts';

/**
 * Reads the whole answer of a run, masked. Undefined if there is none.
 * @throws RunsApiError
 */
export type ReadAnswer = (
  request: Pick<RunRequest, 'run' | 'connectionId'>,
) => Promise<string | undefined>;

/** Min length of an answer that may be cut off. Lists and `status_message` contain about the first 4,000 characters. */
const cutLength = 3_500;
const maxBytes = 1024 * 1024;
const callOptions = { timeoutMs: 5_000, maxRetries: 0 } as const;

const answerFileSchema = z.object({
  artifact_uid: z.string(),
  filename: z.literal('answer.md'),
});

export function createAnswerReader(connect: Connect): ReadAnswer {
  async function readWhole(connectionId: string, run: Run, beginning: string): Promise<string> {
    const { runs, artifacts } = await connect(connectionId);
    const { agent_progress: progress, artifacts: all } = await runs.get(run.run_id, callOptions);
    if (progress?.answer) return progress.answer;
    const file = all?.map(({ data }) => answerFileSchema.safeParse(data).data).find(Boolean);
    if (!file) return beginning;
    const { data } = await artifacts.get(file.artifact_uid, callOptions);
    const { bytes } = await artifacts.download(data.download_url ?? '', { maxBytes });
    return bytes.toString('utf8');
  }

  return async ({ run, connectionId }) => {
    if (run?.state !== 'SUCCEEDED') return undefined;
    const beginning = run.agent_progress?.answer ?? run.status_message?.message ?? '';
    const whole =
      beginning.length < cutLength ? beginning : await readWhole(connectionId, run, beginning);
    return maskSecrets(whole).text.trim() || undefined;
  };
}

/** Reads the whole answer or, if the service can't be reached, returns its beginning. */
export async function readAnswerNow(
  readAnswer: ReadAnswer,
  request: Pick<RunRequest, 'run' | 'connectionId'>,
): Promise<{ answer: string | undefined; isCut: boolean }> {
  try {
    return { answer: await readAnswer(request), isCut: false };
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    return { answer: answerOf(request.run), isCut: true };
  }
}
