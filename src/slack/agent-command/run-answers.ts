/** Answers `/agent list`, `show` and `cancel`. */
import type { KnownBlock } from '@slack/types';
import { shownText } from 'base/secrets/mask-secrets';
import type { Run } from 'runs-client/contract';
import { serviceOf } from '../../requests/connection.ts';
import { pullRequestsOf } from '../../requests/pull-request.ts';
import type { RequestList } from '../../store/requests/request-list.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import type { People } from '../people/people.ts';
import type { Rights } from '../people/rights.ts';
import type { ReadMessageLink } from '../posting/source-message.ts';
import { requestCancel } from '../runs/acting/cancel-run.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import { placeOfLink } from '../runs/run-ref.ts';
import { boldTitle, titleLine } from '../runs/showing/run-label.ts';
import { statusOf } from '../runs/showing/run-outcome.ts';
import { pullRequestLine } from '../runs/showing/run-pull-requests.ts';
import { readRowViewer, renderRow } from '../runs/showing/run-row-view.ts';
import { type RunRow, requestRow, runRow } from '../runs/showing/run-rows.ts';
import { context, section } from '../text/blocks.ts';
import { code, escapeText, link } from '../text/escape-text.ts';
import { failureSentence } from '../text/failure.ts';
import { isKnownWord, statesNamed, typedStates } from './state-words.ts';

type RunAnswerDeps = {
  requests: Pick<
    Requests,
    'find' | 'findByMessage' | 'findByRunPrefix' | 'findVisible' | 'askCancel'
  >;
  list: Pick<RequestList, 'page'>;
  connections: Pick<RunConnections, 'usual'>;
  rights: Pick<Rights, 'denySee' | 'denyCancel'>;
  promptRights: Pick<Rights, 'offersCancel'>;
  access: Pick<RunAccess, 'see'>;
  people: Pick<People, 'look' | 'recall'>;
  readMessageLink: ReadMessageLink;
  wake(): void;
};

const maxListed = 10;
const maxPullRequests = 3;
/** Max runs to compare with a typed ID. A whole ID is then found even if other IDs start with it. */
const maxCompared = 50;

/** Answer as text, or as rows like in the Home tab with a text for the notification. */
export type RunAnswer = string | { text: string; blocks: KnownBlock[] };

type ListQuestion = { creatorId?: string; state: string | undefined };

export type RunAnswers = ReturnType<typeof createRunAnswers>;

export const createRunAnswers = (deps: RunAnswerDeps) => ({
  list: (viewer: RunViewer, question: ListQuestion) => answerList(deps, viewer, question),
  show: (viewer: RunViewer, typed: string) => answerShow(deps, viewer, typed),
  cancel: (viewer: RunViewer, typed: string) => answerCancel(deps, viewer, typed),
});

async function answerList(
  deps: RunAnswerDeps,
  viewer: RunViewer,
  question: ListQuestion,
): Promise<RunAnswer> {
  const { creatorId, state } = question;
  const denial = await deps.rights.denySee(viewer);
  if (denial) return denial;
  const found = await deps.list.page(
    { viewer, creatorId, stateNames: state === undefined ? undefined : statesNamed(state) },
    { limit: maxListed + 1 },
  );
  if (found.length === 0) return noneFound(question, viewer.userId);
  const shown = found.slice(0, maxListed);
  const rows = shown.map(requestRow);
  const references = await Promise.all(shown.map((each) => referenceOf(deps, viewer, each)));
  const rowViewer = await readRowViewer(deps, viewer, rows);
  return {
    text: `${rows.length} ${rows.length === 1 ? 'run' : 'runs'}`,
    blocks: [
      ...rows.flatMap((row, index) => renderRow(row, rowViewer, `${index}`, references[index])),
      context(
        [
          'For one run: `/agent show &lt;id&gt;`  ·  `/agent cancel &lt;id&gt;`',
          ...(found.length > maxListed ? ['The Home tab shows more.'] : []),
        ].join('  ·  '),
      ),
    ],
  };
}

const shortIdLength = 8;

/** Returns the start of the run's ID. If the viewer sees another run with the same start, returns the whole ID. */
async function referenceOf(
  { requests }: RunAnswerDeps,
  viewer: RunViewer,
  { runId }: Pick<RunRequest, 'runId'>,
): Promise<string | undefined> {
  if (!runId) return undefined;
  const start = runId.slice(0, shortIdLength);
  const same = await requests.findByRunPrefix(viewer, start);
  return same.length > 1 ? runId : start;
}

function noneFound({ creatorId, state }: ListQuestion, viewerId: string): string {
  const which = state ? ` in state ${code(state, 30)}` : '';
  // Explain states only after a search found nothing, because services may have other states.
  if (state && !isKnownWord(state)) {
    return `No runs${which}. States are ${typedStates.map((each) => code(each, 30)).join(', ')}.`;
  }
  const start =
    'Start one with `/agent run &lt;prompt&gt;`. Runs started outside Slack are in the Home tab.';
  if (!creatorId) return `No runs${which} were started from Slack. ${start}`;
  const others = "`/agent list all` shows everyone's.";
  if (creatorId === viewerId)
    return `You haven't started any runs${which} from Slack. ${others} ${start}`;
  // Treat an ID as a selected person. A typed name stays text.
  if (/^[UW][A-Z0-9]{4,}$/.test(creatorId)) {
    return `<@${creatorId}> hasn't started any runs${which} from Slack. ${others}`;
  }
  return `${code(`@${creatorId}`, 60)} isn't a person in Slack. After typing @, select a person from Slack's list.`;
}

async function answerShow(
  deps: RunAnswerDeps,
  viewer: RunViewer,
  typed: string,
): Promise<RunAnswer> {
  const denial = await deps.rights.denySee(viewer);
  if (denial) return denial;
  const found = await findRun(deps, viewer, typed);
  if (found.outcome === 'wrong') return escapeText(found.sentence);
  if (found.outcome === 'found') return showRequest(deps, viewer, found.request);
  const asker = { ...viewer, channelId: viewer.conversationId ?? '' };
  const serviceId = serviceOf(await deps.connections.usual(asker));
  const read = await deps.access.see(viewer, { runId: found.runId, serviceId });
  if ('sentence' in read) return read.sentence;
  if ('request' in read) return showRequest(deps, viewer, read.request);
  const { run } = read;
  const { prompt, run_id: runId } = run;
  return showRun(deps, viewer, { row: runRow(read), prompt, run, runId, more: [] });
}

async function showRequest(
  deps: RunAnswerDeps,
  viewer: RunViewer,
  request: RunRequest,
): Promise<RunAnswer> {
  const { prompt, run, problem, runId, connectionId } = request;
  const more = problem ? [failureSentence(problem.code, connectionId)] : [];
  const permalink = await deps.readMessageLink(request, viewer.userId);
  return showRun(deps, viewer, { row: requestRow(request), prompt, run, runId, more, permalink });
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
  deps: RunAnswerDeps,
  viewer: RunViewer,
  { row, prompt, run, runId, more, permalink }: ShownRun,
): Promise<RunAnswer> {
  const rowViewer = await readRowViewer(deps, viewer, [row]);
  const messageLink = link(permalink, 'Run message');
  const lines = [
    `Prompt: ${code(shownText(prompt), 500)}`,
    ...more,
    ...(statusOf(run) ? [code(statusOf(run), 500)] : []),
    ...pullRequestsOf(run).slice(0, maxPullRequests).map(pullRequestLine),
    ...(runId ? [`Run ID: ${code(runId, 100)}`] : []),
    ...(messageLink ? [messageLink] : []),
  ];
  return {
    text: `${row.label.word}: ${escapeText(titleLine(row.title), 150)}`,
    blocks: [...renderRow(row, rowViewer, '0'), section(lines.join('\n'))],
  };
}

async function answerCancel(
  deps: RunAnswerDeps,
  viewer: RunViewer,
  typed: string,
): Promise<string> {
  const found = await findRun(deps, viewer, typed);
  if (found.outcome === 'wrong') return escapeText(found.sentence);
  if (found.outcome === 'unknown') {
    return `No run ${code(typed, 60)} that you can see was started from Slack. Cancel other runs where they were started.`;
  }
  const { request } = found;
  const denial = await deps.rights.denyCancel(request, viewer.userId);
  if (denial) return denial;
  const problem = await requestCancel(deps, request, viewer.userId);
  return problem ?? `Canceling ${boldTitle(request.title)}. Its message shows when it has ended.`;
}

/** Result of a search. `unknown` means that the run isn't in the store. The runs service may still have it. */
type FoundRequest =
  | { outcome: 'found'; request: RunRequest }
  | { outcome: 'unknown'; runId: string }
  | { outcome: 'wrong'; sentence: string };

/** Finds a run by its ID, the start of its ID, or a link to its message. */
async function findRun(
  { requests }: RunAnswerDeps,
  viewer: RunViewer,
  typed: string,
): Promise<FoundRequest> {
  const { teamId } = viewer;
  async function ifVisible(request: RunRequest | undefined) {
    const visible = request && (await requests.findVisible(viewer, [request.id]));
    return request && visible?.has(request.id) ? request : undefined;
  }
  const place = placeOfLink(typed);
  if (place) {
    const request = await ifVisible(await requests.findByMessage(teamId, place));
    if (request) return { outcome: 'found', request };
    return { outcome: 'wrong', sentence: "This link doesn't point to a run message." };
  }
  const found = await requests.findByRunPrefix(viewer, typed, maxCompared);
  const exact = found.find(({ runId }) => runId === typed);
  if (exact) return { outcome: 'found', request: exact };
  const [first, second] = found;
  if (first && second) {
    const sentence = `Several runs start with ${typed}. Add a few more characters.`;
    return { outcome: 'wrong', sentence };
  }
  return first ? { outcome: 'found', request: first } : { outcome: 'unknown', runId: typed };
}
