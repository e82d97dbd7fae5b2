import { shownText } from 'base/secrets/mask-secrets';
import { isTerminalState } from 'runs-client/contract';
import { serviceOf } from '../../requests/connection.ts';
import { nothingToPublish, type RequestPublish } from '../../requests/publish.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { RunRef } from '../runs/run-ref.ts';
import { creatorText } from '../runs/showing/run-facts.ts';
import { creatorName, type ForeignRun } from '../runs/showing/run-rows.ts';
import { escapeText, firstLine } from '../text/escape-text.ts';

/** Data of a run for *Details*, no matter where it was started. `creator` is mrkdwn. */
export type DetailedRun = Pick<
  RunRequest,
  | 'connectionId'
  | 'title'
  | 'prompt'
  | 'context'
  | 'config'
  | 'origin'
  | 'step'
  | 'problem'
  | 'run'
  | 'runId'
  | 'acceptedAt'
  | 'createBeganAt'
  | 'endedAt'
  | 'cancelAskedAt'
  | 'cancelAskedBy'
  | 'cancelOutcome'
  | 'unfollowedAt'
> &
  RequestPublish & { ref: RunRef; creator: string };

export const detailsOfRequest = (request: RunRequest): DetailedRun => ({
  ...request,
  ref: { requestId: request.id },
  creator: creatorText(request),
});

/** Returns the data of a run that was started outside Slack, without a request. */
export function detailsOfRun({ run, connectionId }: ForeignRun): DetailedRun {
  return {
    connectionId,
    ref: { runId: run.run_id, serviceId: serviceOf(connectionId) },
    creator: escapeText(creatorName(run), 100),
    title: shownText(firstLine(run.title || run.prompt)),
    prompt: run.prompt,
    context: null,
    config: {},
    origin: null,
    step: isTerminalState(run.state) ? 'ended' : 'following',
    problem: null,
    run,
    runId: run.run_id,
    acceptedAt: Date.parse(run.created_at) || Date.now(),
    createBeganAt: null,
    endedAt: null,
    cancelAskedAt: null,
    cancelAskedBy: null,
    cancelOutcome: null,
    unfollowedAt: null,
    ...nothingToPublish,
  };
}
