/** `/agent list`, `show` and `cancel`, in plain lines. */
import type { WebClient } from '@slack/web-api';
import { isTerminalState, type Run } from '../../runs-api/contract.ts';
import { RunsApiError } from '../../runs-api/runs-api-error.ts';
import type { RunsClient } from '../../runs-api/runs-client.ts';
import type { RequestMarks } from '../../store/request-marks.ts';
import type { RunRequest } from '../../store/request-row.ts';
import type { Requests } from '../../store/requests.ts';
import type { Settings } from '../../store/settings.ts';
import { escapeText, safeUrl, time } from '../blocks.ts';
import { type CancelParts, cancelRun } from '../cancel-run.ts';
import { failureSentence } from '../failure.ts';
import { requestLabel, stateLabel } from '../run-state.ts';
import { whyNotChange } from '../why-not-change.ts';
import { code } from './command-answers.ts';
import { type FindRunParts, findRun } from './find-run.ts';

export type RunAnswerParts = FindRunParts & {
  requests: FindRunParts['requests'] & Pick<Requests, 'recent'>;
  runs: Pick<RunsClient['runs'], 'get' | 'cancel'>;
  marks: CancelParts['marks'] & Pick<RequestMarks, 'makeDue'>;
  settings: Pick<Settings, 'read'>;
  wake(): void;
};

const listed = 10;
/** Asked for more than is shown, so that a state can be picked out. */
const looked = 200;
const callOptions = { timeoutMs: 2_000, maxRetries: 0 };

export type ListQuestion = { teamId: string; creatorId?: string; state: string | undefined };

export async function answerList(parts: RunAnswerParts, asked: ListQuestion): Promise<string> {
  const { teamId, creatorId, state } = asked;
  const recent = await parts.requests.recent({
    teamId,
    ...(creatorId && { creatorId }),
    limit: looked,
  });
  const wanted = recent.filter((request) => !state || stateOf(request) === state);
  if (wanted.length === 0) {
    const which = state ? ` in state ${code(state, 30)}` : '';
    return `No runs${which} were started here. Start one with \`/agent run <prompt>\`; runs started elsewhere are in my Home tab.`;
  }
  const more = wanted.length - listed;
  return [
    ...wanted.slice(0, listed).map(listLine),
    ...(more > 0 ? [`… and ${more} more: see my Home tab.`] : []),
  ].join('\n');
}

const stateOf = ({ run, step }: RunRequest) => run?.state ?? step.toUpperCase();

function listLine(request: RunRequest): string {
  const { sign, word } = requestLabel(request);
  const id = request.runId ? `${code(request.runId, 40)}  ` : '';
  const who = `<@${request.creatorId}>`;
  return `${sign} ${escapeText(word, 50)}  ${id}*${escapeText(request.title, 100)}*  ${who}  ${time(request.acceptedAt)}`;
}

export async function answerShow(
  parts: RunAnswerParts,
  teamId: string,
  written: string,
): Promise<string> {
  const found = await findRun(parts, teamId, written);
  if (found.outcome === 'wrong') return `⚠️ ${escapeText(found.sentence)}`;
  if (found.outcome === 'found') return showRequest(found.request);
  const run = await ask(() => parts.runs.get(found.runId, callOptions));
  return typeof run === 'string' ? run : showRun(run);
}

function showRequest(request: RunRequest): string {
  const { run, runId, problem } = request;
  const link = safeUrl(run?.session_link);
  return [
    listLine(request),
    `Prompt: ${code(request.prompt, 500)}`,
    ...(problem ? [escapeText(failureSentence(problem.code))] : []),
    ...(run?.status_message ? [code(run.status_message.message, 500)] : []),
    ...(runId ? [`Run id: ${code(runId, 100)}`] : []),
    ...(link ? [`<${link}|Open session>`] : []),
  ].join('\n');
}

function showRun(run: Run): string {
  const { sign, word } = stateLabel(run.state);
  const link = safeUrl(run.session_link);
  const creator = run.creator?.display_name ?? run.creator?.email ?? 'unknown';
  return [
    `${sign} ${escapeText(word, 50)}  *${escapeText(run.title || run.prompt, 100)}*`,
    `Started elsewhere by ${escapeText(creator, 100)}. Prompt: ${code(run.prompt, 500)}`,
    ...(run.status_message ? [code(run.status_message.message, 500)] : []),
    ...(link ? [`<${link}|Open session>`] : []),
  ].join('\n');
}

export async function answerCancel(
  parts: RunAnswerParts,
  client: Pick<WebClient, 'users'>,
  { teamId, userId }: { teamId: string; userId: string },
  written: string,
): Promise<string> {
  const found = await findRun(parts, teamId, written);
  if (found.outcome === 'wrong') return `⚠️ ${escapeText(found.sentence)}`;
  if (found.outcome === 'unknown') {
    return `I know no run ${code(written, 60)} that was started here. Runs started elsewhere are stopped where they were started.`;
  }
  const { request } = found;
  const refusal = await whyNotChange({ ...parts, client }, request, userId);
  if (refusal) return refusal;
  if (request.run && isTerminalState(request.run.state)) return 'This run has ended already.';
  const problem = await cancelRun(parts, request, userId);
  await parts.marks.makeDue(request.id, Date.now());
  parts.wake();
  if (problem) return problem;
  return `Asked the runs service to cancel *${escapeText(request.title, 150)}*. Its message will say when it has stopped.`;
}

/** The answer, or a sentence that says why there is none. */
async function ask<T>(call: () => PromiseLike<T>): Promise<T | string> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    if (error.code === 'not_found') return 'No such run: neither I nor the runs service know it.';
    return `⚠️ ${failureSentence(error.code)}`;
  }
}
