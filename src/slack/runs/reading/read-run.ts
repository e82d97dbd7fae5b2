import { RunsApiError } from 'runs-client/runs-api-error';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { Requests } from '../../../store/requests/requests.ts';
import type { RunViewer } from '../../../store/requests/visible-requests.ts';
import type { RunConnections } from '../../configuration/run-connections.ts';
import { unknownRun } from '../../posting/answer-privately.ts';
import { failureSentence } from '../../text/failure.ts';
import type { RunRef } from '../run-ref.ts';
import type { FoundRun, OwnRuns, ReadOwnRuns } from './own-runs.ts';

/** `run`: started elsewhere. `sentence`: tells the reader why there is neither. */
export type ReadRequestOutcome = { request: RunRequest } | { sentence: string };
type ReadRunOutcome = { sentence: string } | FoundRun;
export type ReadRun = (viewer: RunViewer, ref: RunRef) => Promise<ReadRunOutcome>;

export type RunReaderParts = {
  requests: Pick<Requests, 'find' | 'findByRunIds' | 'findVisible'>;
  readOwnRuns: ReadOwnRuns;
  connections: Pick<RunConnections, 'has' | 'through'>;
};

/** Someone clicked and is waiting. */
const callOptions = { timeoutMs: 2_000, maxRetries: 0 } as const;

/** Finds the run behind a button: in the store or, if it was started elsewhere, in the runs service. */
export function createRunReader({ requests, readOwnRuns, connections }: RunReaderParts) {
  async function ifVisible(
    viewer: RunViewer,
    request: RunRequest | undefined,
    sentence: string,
  ): Promise<ReadRequestOutcome> {
    const visible = request && (await requests.findVisible(viewer, [request.id]));
    return request && visible?.has(request.id) ? { request } : { sentence };
  }

  const readRequest = async (viewer: RunViewer, requestId: string) =>
    ifVisible(viewer, await requests.find(requestId), unknownRun);

  const readRun: ReadRun = async (viewer, ref) => {
    if ('requestId' in ref) return readRequest(viewer, ref.requestId);
    const { runId, serviceId } = ref;
    const [request] = await requests.findByRunIds(serviceId, [runId]);
    // Anyone can write an id, so the answer is the same as for a run that doesn't exist.
    if (request) return ifVisible(viewer, request, runNotFound);
    if (!(await connections.has(serviceId))) return { sentence: runNotFound };
    const runs = readOwnRuns(await connections.through(viewer, serviceId));
    const found = await readElsewhere(runs, runId);
    if ('run' in found) return found;
    return 'request' in found ? ifVisible(viewer, found.request, runNotFound) : found;
  };

  return { readRequest, readRun };
}

/** A run that the store doesn't know by its id, from the service. It may still be one of ours. */
async function readElsewhere(runs: OwnRuns, runId: string): Promise<ReadRunOutcome> {
  try {
    return await runs.find(runId, callOptions);
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    const isGone = error.code === 'not_found';
    return { sentence: isGone ? runNotFound : failureSentence(error.code, runs.connectionId) };
  }
}

const runNotFound = 'Run not found. Neither this app nor the runs service has it.';
