/** `/agent list`, `show` and `cancel`. */
import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { RunsClient } from 'runs-client';
import { knownRunStates, type Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { RequestList } from '../../store/request-list.ts';
import type { RunRequest } from '../../store/request-row.ts';
import type { Settings } from '../../store/settings.ts';
import type { People } from '../people/people.ts';
import type { WhyNot } from '../people/who-may-start.ts';
import { mayChangeAll, whyNotChange } from '../people/why-not-change.ts';
import { type ReadPermalink, readRunMessageLink } from '../posting/source-message.ts';
import { askToCancel, type CancelParts } from '../runs/cancel-run.ts';
import { unknownToService } from '../runs/read-run.ts';
import { type RowViewer, renderRow } from '../runs/run-row-view.ts';
import { peopleIn, type RunRow, requestRow, runRow } from '../runs/run-rows.ts';
import { boldTitle, titleLine } from '../runs/run-title.ts';
import { shownText } from '../secrets/mask-secrets.ts';
import { code, context, escapeText, link, section } from '../text/blocks.ts';
import { failureSentence } from '../text/failure.ts';
import { type FindRunParts, findRun } from './find-run.ts';

export type RunAnswerParts = FindRunParts & {
  list: Pick<RequestList, 'page'>;
  people: Pick<People, 'look'>;
  whyNotSee: WhyNot;
  runs: Pick<RunsClient['runs'], 'get'>;
  readPermalink: ReadPermalink;
  marks: CancelParts['marks'];
  settings: Pick<Settings, 'read'>;
  wake(): void;
};

const listed = 10;
const callOptions = { timeoutMs: 2_000, maxRetries: 0 };

/** What one person is told: lines alone, or rows as in the Home tab, with the lines for a notification. */
export type RunAnswer = string | { text: string; blocks: KnownBlock[] };

export type ListQuestion = { teamId: string; creatorId?: string; state: string | undefined };
/** Whose answer it is. */
type Asking = { teamId: string; userId: string };

export async function answerList(
  parts: RunAnswerParts,
  viewerId: string,
  asked: ListQuestion,
): Promise<RunAnswer> {
  const { teamId, creatorId, state } = asked;
  const refusal = await parts.whyNotSee(teamId, viewerId);
  if (refusal) return refusal;
  const found = await parts.list.page(
    { teamId, creatorId, stateName: state },
    { limit: listed + 1 },
  );
  if (found.length === 0) return noneFound(asked, viewerId);
  const rows = found.slice(0, listed).map(requestRow);
  const viewer = await readViewer(parts, { teamId, userId: viewerId }, rows);
  return {
    text: `${rows.length} ${rows.length === 1 ? 'run' : 'runs'}`,
    blocks: [
      ...rows.flatMap((row, index) => renderRow(row, viewer, `${index}`)),
      ...(found.length > listed ? [context('… and more: see my Home tab.')] : []),
    ],
  };
}

const states: readonly string[] = [...knownRunStates, 'NOT_STARTED'];

/** Others may have started some: what is not there is said no wider than it was asked. */
function noneFound({ creatorId, state }: ListQuestion, viewerId: string): string {
  const which = state ? ` in state ${code(state, 30)}` : '';
  // A service may have states of its own, so what is asked for is looked for first.
  if (state && !states.includes(state)) {
    return `No runs${which} are here. States are ${states.map((each) => code(each.toLowerCase(), 30)).join(', ')}.`;
  }
  const start = 'Start one with `/agent run <prompt>`; runs started elsewhere are in my Home tab.';
  if (!creatorId) return `No runs${which} were started here. ${start}`;
  const others = '`/agent list all` shows those of others.';
  if (creatorId === viewerId) return `You have started no runs${which} here. ${others} ${start}`;
  // Slack gives the id of whoever is picked from its list, and leaves a name that was only typed.
  if (/^[UW][A-Z0-9]{4,}$/.test(creatorId)) {
    return `<@${creatorId}> has started no runs${which} here. ${others}`;
  }
  return `I do not know who ${code(`@${creatorId}`, 60)} is: pick the person from the list that Slack shows after the @.`;
}

export async function answerShow(
  parts: RunAnswerParts,
  asking: Asking,
  written: string,
): Promise<RunAnswer> {
  const refusal = await parts.whyNotSee(asking.teamId, asking.userId);
  if (refusal) return refusal;
  const found = await findRun(parts, asking.teamId, written);
  if (found.outcome === 'wrong') return `⚠️ ${escapeText(found.sentence)}`;
  if (found.outcome === 'found') {
    const { request } = found;
    const { prompt, run, problem, runId } = request;
    const more = problem ? [escapeText(failureSentence(problem.code))] : [];
    const permalink = await readLinkFor(parts, asking, request);
    return showRun(parts, asking, {
      row: requestRow(request),
      prompt,
      run,
      runId,
      more,
      permalink,
    });
  }
  const run = await ask(() => parts.runs.get(found.runId, callOptions));
  if (typeof run === 'string') return run;
  const { prompt, run_id: runId } = run;
  return showRun(parts, asking, { row: runRow(run), prompt, run, runId, more: [] });
}

/** Nobody else can open what was written to the creator directly. */
async function readLinkFor(
  { readPermalink }: RunAnswerParts,
  { userId }: Asking,
  request: RunRequest,
): Promise<string | undefined> {
  const isDirect = request.messageChannelId?.startsWith('D');
  if (isDirect && request.creatorId !== userId) return undefined;
  return await readRunMessageLink(readPermalink, request);
}

type ShownRun = {
  row: RunRow;
  prompt: string;
  run: Run | null;
  runId: string | null;
  more: readonly string[];
  permalink?: string | undefined;
};

async function showRun(
  parts: RunAnswerParts,
  asking: Asking,
  { row, prompt, run, runId, more, permalink }: ShownRun,
): Promise<RunAnswer> {
  const viewer = await readViewer(parts, asking, [row]);
  const way = link(permalink, 'Run message');
  const lines = [
    `Prompt: ${code(shownText(prompt), 500)}`,
    ...more,
    ...(run?.status_message ? [code(run.status_message.message, 500)] : []),
    ...(runId ? [`Run id: ${code(runId, 100)}`] : []),
    ...(way ? [way] : []),
  ];
  return {
    text: `${row.label.word}: ${escapeText(titleLine(row.title), 150)}`,
    blocks: [...renderRow(row, viewer, '0'), section(lines.join('\n'))],
  };
}

async function readViewer(
  { people, settings }: RunAnswerParts,
  { teamId, userId }: Asking,
  rows: readonly RunRow[],
): Promise<RowViewer> {
  const known = await people.look([userId, ...peopleIn(rows)]);
  const mayCancelAll = await mayChangeAll(settings, teamId, known.get(userId));
  return { userId, people: known, mayCancelAll };
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
  const problem = await askToCancel(parts, request, userId);
  return problem ?? `Canceling ${boldTitle(request.title)}. Its message shows when it has ended.`;
}

/** The answer, or a sentence that says why there is none. */
async function ask<T>(call: () => PromiseLike<T>): Promise<T | string> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    if (error.code === 'not_found') return unknownToService;
    return `⚠️ ${failureSentence(error.code)}`;
  }
}
