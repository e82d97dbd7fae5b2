import type { Run } from '../../runs-api/contract.ts';
import type { RunRequest } from '../../store/request-row.ts';
import { requestLabel, type StateLabel, stateLabel } from '../run-state.ts';

/** One run in the list, wherever it was started. `at` is epoch milliseconds. */
export type HomeRow = {
  title: string;
  label: StateLabel;
  creator: { slackUserId: string } | { name: string };
  at: number;
  source: string;
  sessionLink: string | undefined;
};

export function requestRow(request: RunRequest): HomeRow {
  return {
    title: request.title,
    label: requestLabel(request),
    creator: { slackUserId: request.creatorId },
    at: request.acceptedAt,
    source: 'Slack',
    sessionLink: request.run?.session_link ?? undefined,
  };
}

function runRow(run: Run): HomeRow {
  return {
    title: run.title || run.prompt,
    label: stateLabel(run.state),
    creator: { name: run.creator?.display_name ?? run.creator?.email ?? 'unknown' },
    at: Date.parse(run.created_at),
    source: run.source ?? 'API',
    sessionLink: run.session_link ?? undefined,
  };
}

/**
 * The API's runs and our requests in one list, newest first, each run once. A request that was started here says who
 * asked; of its state the API's answer is the newer one, unless we have seen the end already.
 */
export function joinRows(runs: readonly Run[], requests: readonly RunRequest[]): HomeRow[] {
  const ours = new Map(
    requests.flatMap((request) => (request.runId ? [[request.runId, request]] : [])),
  );
  const listed = new Set(runs.map((run) => run.run_id));
  const notListed = requests.filter(({ runId }) => runId === null || !listed.has(runId));
  const rows = [
    ...notListed.map(requestRow),
    ...runs.map((run) => {
      const request = ours.get(run.run_id);
      if (!request) return runRow(run);
      return requestRow(request.step === 'ended' ? request : { ...request, run });
    }),
  ];
  return rows.sort((a, b) => b.at - a.at);
}
