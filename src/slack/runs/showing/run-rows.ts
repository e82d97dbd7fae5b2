/** Creates rows for lists of runs, including runs that weren't started in Slack. `run-row-view.ts` renders them. */

import { shownText } from 'base/secrets/mask-secrets';
import { isTerminalState, type Run } from 'runs-client/contract';
import { z } from 'zod';
import { canceledBeforeStart } from '../../../requests/cancel.ts';
import { serviceOf } from '../../../requests/connection.ts';
import type { ListedRequest } from '../../../store/requests/request-row.ts';
import { firstLine } from '../../text/escape-text.ts';
import { capSentence, failureSentence } from '../../text/failure.ts';
import { isAnswerable } from '../run-question.ts';
import { type RunRef, runRefSchema } from '../run-ref.ts';
import { canBeCanceled } from './buttons/run-buttons.ts';
import { originWords } from './run-facts.ts';
import { requestLabel, stateLabel, titleFrom } from './run-label.ts';
import { outcomeFacts, statusOf } from './run-outcome.ts';

/** Data of a row. Contains only plain JSON values, because a view stores it as JSON. `at` is in epoch ms. */
export const runRowSchema = z.object({
  ref: runRefSchema,
  title: z.string(),
  label: z.object({ sign: z.string(), word: z.string() }),
  /** Reason of a failure, see {@link withReason}. */
  reason: z.string().optional(),
  isAnswerable: z.boolean().optional(),
  creator: z.union([z.object({ slackUserId: z.string() }), z.object({ name: z.string() })]),
  /** Name of the automation that started it for its creator. */
  automation: z.string().optional(),
  at: z.number().nullable(),
  source: z.string(),
  environment: z.string().optional(),
  /** Facts about the outcome, see `outcomeFacts`. */
  outcome: z.array(z.string()),
  sessionLink: z.string().optional(),
  isOver: z.boolean(),
  /** True if the service can cancel the run. Rights are checked separately. */
  isCancelable: z.boolean(),
});
export type RunRow = z.infer<typeof runRowSchema>;

export function requestRow(request: ListedRequest): RunRow {
  const { run, config, step, origin } = request;
  return {
    ref: { requestId: request.id },
    title: titleFrom(request.title),
    label: requestLabel(request),
    creator: { slackUserId: request.creatorId },
    automation: origin?.automation?.name,
    at: request.acceptedAt,
    source: origin ? originWords[origin.kind] : 'Slack',
    environment: run?.agent_config?.environment_id ?? config.environment_id,
    outcome: outcomeFacts(run),
    sessionLink: run?.session_link ?? undefined,
    isOver: step === 'ended' || step === 'not_started',
    isCancelable: canBeCanceled(request),
    isAnswerable: step === 'following' && isAnswerable(run),
  };
}

/**
 * Adds why a run failed or which input it needs. Use it only for rows that one person sees, because the reason can
 * contain output of the agent.
 */
export function withReason(
  row: RunRow,
  { run, problem, connectionId }: Pick<ListedRequest, 'run' | 'problem' | 'connectionId'>,
): RunRow {
  const reason = reasonOf(run, problem, connectionId)?.replace(/\.$/, '');
  return reason ? { ...row, reason } : row;
}

function reasonOf(
  run: Run | null,
  problem: ListedRequest['problem'],
  connectionId: string,
): string | undefined {
  // Return no reason, because the label already says that the run was canceled.
  if (problem?.code === canceledBeforeStart) return undefined;
  if (problem) return capSentence(problem) ?? firstSentence(problem.code, connectionId);
  switch (run?.state) {
    case 'FAILED':
    case 'ERROR':
      return firstLine(statusOf(run));
    case 'BLOCKED':
      return firstLine(shownText(run.agent_progress?.question?.text ?? '') || statusOf(run));
    default:
      return undefined;
  }
}

/** Returns the first sentence about a failure, which says what happened but not what to do. */
const firstSentence = (code: string, connectionId: string): string | undefined =>
  /^.*?(?=\. |\.$|$)/s.exec(failureSentence(code, connectionId))?.[0];

/** Names of sources of runs. An unknown source is shown by its own name. */
const sources: Record<string, string> = {
  API: 'the API',
  SLACK: 'Slack',
  LINEAR: 'Linear',
  JIRA: 'Jira',
  LOCAL: "someone's machine",
  CLI: 'the command line',
  WEB_APP: 'the web app',
  GITHUB_ACTION: 'a GitHub action',
  SCHEDULED_AGENT: 'a schedule',
};

/** Run that wasn't started in Slack, and the connection that it was read through. */
export type ForeignRun = { run: Run; connectionId: string };

/** Returns the row of a run that wasn't started in Slack. It can't be canceled here. */
export function runRow({ run, connectionId }: ForeignRun): RunRow {
  const at = Date.parse(run.created_at);
  const source = run.source ?? 'API';
  return {
    ref: { runId: run.run_id, serviceId: serviceOf(connectionId) },
    title: titleFrom(run.title || run.prompt),
    label: stateLabel(run.state),
    creator: { name: creatorName(run) },
    at: Number.isFinite(at) ? at : null,
    source: Object.hasOwn(sources, source) ? (sources[source] ?? source) : source,
    environment: run.agent_config?.environment_id ?? undefined,
    outcome: outcomeFacts(run),
    sessionLink: run.session_link ?? undefined,
    isOver: isTerminalState(run.state),
    isCancelable: false,
  };
}

export const creatorName = ({ creator }: Run): string =>
  creator?.display_name || creator?.email || creator?.uid || 'unknown';

/** Returns the Slack IDs of the people in these rows. */
export const peopleIn = (rows: readonly RunRow[]): string[] => [
  ...new Set(
    rows.flatMap(({ creator }) => ('slackUserId' in creator ? [creator.slackUserId] : [])),
  ),
];

export const isSameRun = (a: RunRef, b: RunRef): boolean =>
  'requestId' in a
    ? 'requestId' in b && a.requestId === b.requestId
    : 'runId' in b && a.runId === b.runId && a.serviceId === b.serviceId;
