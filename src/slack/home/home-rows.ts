import { z } from 'zod';
import type { Run } from '../../runs-api/contract.ts';
import type { RunRequest } from '../../store/request-row.ts';
import { shorten } from '../blocks.ts';
import { requestLabel, stateLabel } from '../run-state.ts';

const titleLimit = 150;

/** One run in the list, wherever it was started; kept as JSON with the view. `at` is epoch milliseconds. */
export const homeRowSchema = z.object({
  title: z.string(),
  label: z.object({ sign: z.string(), word: z.string() }),
  creator: z.union([z.object({ slackUserId: z.string() }), z.object({ name: z.string() })]),
  at: z.number().nullable(),
  source: z.string(),
  environment: z.string().optional(),
  sessionLink: z.string().optional(),
  /** Of runs that were started here. */
  requestId: z.string().optional(),
});
export type HomeRow = z.infer<typeof homeRowSchema>;

export function requestRow(request: RunRequest): HomeRow {
  const { run, config } = request;
  return {
    title: titleOf(request.title || request.prompt),
    label: requestLabel(request),
    creator: { slackUserId: request.creatorId },
    at: request.acceptedAt,
    source: 'Slack',
    environment: run?.agent_config?.environment_id ?? config.environment_id,
    sessionLink: run?.session_link ?? undefined,
    requestId: request.id,
  };
}

export function runRow(run: Run): HomeRow {
  const at = Date.parse(run.created_at);
  return {
    title: titleOf(run.title || run.prompt),
    label: stateLabel(run.state),
    creator: { name: run.creator?.display_name ?? run.creator?.email ?? 'unknown' },
    at: Number.isFinite(at) ? at : null,
    source: run.source ?? 'API',
    environment: run.agent_config?.environment_id ?? undefined,
    sessionLink: run.session_link ?? undefined,
  };
}

const titleOf = (text: string) => shorten(text.trim().split('\n')[0] ?? '', titleLimit);

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
  return rows.sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
}
