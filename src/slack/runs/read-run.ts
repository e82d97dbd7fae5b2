import type { RunsClient } from 'runs-client';
import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';
import { unknownRun } from '../posting/answer-privately.ts';
import { failureSentence } from '../text/failure.ts';
import type { RunRef } from './run-ref.ts';

/** `run`: started elsewhere. `sentence`: tells the reader why there is neither. */
export type ReadRunOutcome = { request: RunRequest } | { run: Run } | { sentence: string };
export type ReadRun = (teamId: string, ref: RunRef) => Promise<ReadRunOutcome>;

type RunReaderParts = {
  requests: Pick<Requests, 'find' | 'findByRunIds'>;
  runs: Pick<RunsClient['runs'], 'get'>;
};

/** Someone clicked and is waiting. */
const callOptions = { timeoutMs: 2_000, maxRetries: 0 } as const;

/** Finds the run behind a button: in the store or, if it was started elsewhere, in the runs service. */
export function createRunReader({ requests, runs }: RunReaderParts): ReadRun {
  return async (teamId, ref) => {
    if ('requestId' in ref) {
      const request = await requests.find(ref.requestId);
      return request?.teamId === teamId ? { request } : { sentence: unknownRun };
    }
    const [request] = await requests.findByRunIds([ref.runId]);
    if (request) return request.teamId === teamId ? { request } : { sentence: unknownRun };
    try {
      return { run: await runs.get(ref.runId, callOptions) };
    } catch (error) {
      if (!(error instanceof RunsApiError)) throw error;
      const isGone = error.code === 'not_found';
      return { sentence: isGone ? runNotFound : failureSentence(error.code) };
    }
  };
}

export const runNotFound = 'Run not found. Neither this app nor the runs service has it.';
