import type { WireAnswer } from './network.ts';
import type { Fate } from './plan.ts';
import {
  changePullRequest,
  offeredBy,
  type Publication,
  publish,
  shownPublication,
} from './runs-publishing.ts';
import type { Scheduler } from './scheduler.ts';

export const runsUrl = 'https://runs.test/api/v1';
export const runsKey = 'simulated-runs-api-key';

type Json = Record<string, unknown>;

export type ModelRun = {
  id: string;
  requestId: string;
  team: string;
  prompt: string;
  state: string;
  createdAtMs: number;
  updatedAtMs: number;
  question: string | undefined;
  cancels: number;
  followUps: { key: string; text: string }[];
  answers: { key: string; optionId: string }[];
  states: string[];
  publication: Publication | undefined;
};

export type RunsModel = ReturnType<typeof createRunsModel>;

const ended = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED']);
const isEnded = ({ state }: Pick<ModelRun, 'state'>) => ended.has(state);

/** Simulates a runs service, which creates a run for every request that arrives and ends it as planned. */
export function createRunsModel(
  scheduler: Scheduler,
  { fateOf, log }: { fateOf(prompt: string): Fate | undefined; log(line: string): void },
) {
  const runs: ModelRun[] = [];
  const before = new Map<string, ModelRun>();
  const listeners = new Set<(run: ModelRun) => void>();
  const unknownCalls = new Set<string>();
  const sent: { text: string; atMs: number }[] = [];
  let isOver = false;

  function move(run: ModelRun, state: string): void {
    if (isEnded(run)) return;
    if (!before.has(run.id)) before.set(run.id, { ...run });
    log(`  ${run.id} is ${state}`);
    run.state = state;
    run.states.push(state);
    run.question = state === 'BLOCKED' ? `${run.id} question` : undefined;
    changed(run);
  }

  function changed(run: ModelRun): void {
    run.updatedAtMs = Math.max(run.updatedAtMs + 1, Math.floor(scheduler.nowMs));
    for (const listen of listeners) listen(run);
  }

  const later = (run: ModelRun, ms: number, state: string) =>
    scheduler.in(ms, undefined, () => move(run, state));

  /**
   * Merges the pull request.
   * @returns true if there is one
   */
  function merge({ publication }: ModelRun): boolean {
    const pullRequests = publication?.pullRequests ?? [];
    for (const pullRequest of pullRequests) pullRequest.state = 'merged';
    return pullRequests.length > 0;
  }

  function end(run: ModelRun, fate: Fate): void {
    const { end: state, afterMs } = fate;
    if (state === 'never') return;
    scheduler.in(afterMs, undefined, () => {
      if (!isEnded(run)) run.publication = offeredBy(fate, run.id);
      if (isOver) merge(run);
      move(run, state);
    });
  }

  function create(given: Json): WireAnswer {
    const { prompt = '', metadata = {} } = given as {
      prompt?: string;
      metadata?: Record<string, string>;
    };
    const at = Math.floor(scheduler.nowMs);
    const run: ModelRun = {
      id: `run-${runs.length + 1}`,
      prompt,
      state: 'QUEUED',
      question: undefined,
      publication: undefined,
      requestId: metadata['request_id'] ?? '',
      team: metadata['slack_team'] ?? '',
      createdAtMs: at,
      updatedAtMs: at,
      cancels: 0,
      followUps: [],
      answers: [],
      states: ['QUEUED'],
    };
    runs.push(run);
    log(`  ${run.id} is created for ${run.requestId}`);
    later(run, 100, 'INPROGRESS');
    // Use a default fate, because a reply to an ended run starts one without a plan.
    const fate = isOver ? atOnce : (fateOf(prompt) ?? atOnce);
    if (fate?.asks) later(run, 600, 'BLOCKED');
    else if (fate) end(run, fate);
    for (const listen of listeners) listen(run);
    return reply({ run_id: run.id, state: run.state }, 201);
  }

  function act(run: ModelRun, verb: string, given: Json, key: string): WireAnswer {
    if (verb === 'cancel') {
      if (isEnded(run)) return reject(400);
      run.cancels += 1;
      move(run, 'CANCELLED');
      return reply({ run_id: run.id });
    }
    if (verb === 'followups') {
      if (run.followUps.some((each) => each.key === key)) return reply({ run_id: run.id });
      if (isEnded(run)) return reject(400);
      run.followUps.push({ key, text: String(given['message']) });
      return reply({ run_id: run.id });
    }
    if (verb === 'answers') {
      if (run.answers.some((each) => each.key === key)) return reply({ run_id: run.id });
      if (run.question === undefined || run.question !== given['question_id']) return reject(409);
      run.answers.push({ key, optionId: String(given['option_id']) });
      move(run, 'INPROGRESS');
      const fate = fateOf(run.prompt);
      if (fate) end(run, fate);
      return reply({ run_id: run.id });
    }
    if (verb === 'publish') {
      const { publication, id: runId } = run;
      if (!publication) return reject(422);
      const fate = fateOf(run.prompt);
      const after = (ms: number, then: () => void) => scheduler.in(ms, undefined, then);
      log(`  ${run.id} is published`);
      const told = { isOver: () => isOver, after, changed: () => changed(run) };
      publish({ publication, runId, fate, ...told });
      return reply({ run_id: run.id }, 202);
    }
    if (verb === 'pull-request') {
      const told = { fate: fateOf(run.prompt), changed: () => changed(run) };
      const isDone = run.publication && changePullRequest(run.publication, given['action'], told);
      log(`  ${run.id}: ${given['action']} is ${isDone ? 'done' : 'rejected'}`);
      return isDone ? reply({ run_id: run.id }, 202) : reject(422);
    }
    return reject(404);
  }

  /**
   * Returns an earlier state of a run, except after a publish request. A stale one would make the bot publish again,
   * which the invariants report.
   */
  const earlier = (run: ModelRun) =>
    run.publication && run.publication.state !== 'offered' ? run : (before.get(run.id) ?? run);

  function list(query: URLSearchParams, isStale: boolean): WireAnswer {
    const after = (name: string) => Date.parse(query.get(name) ?? '') || 0;
    const requestId = query.get('metadata[request_id]');
    const states = query.getAll('state').flatMap((each) => each.split(','));
    const by = query.get('sort_by') === 'created_at' ? 'createdAtMs' : 'updatedAtMs';
    const found = runs
      .map((run) => (isStale ? earlier(run) : run))
      .filter((run) => requestId === null || run.requestId === requestId)
      .filter((run) => states.length === 0 || states.includes(run.state))
      .filter((run) => run.updatedAtMs > after('updated_after'))
      .filter((run) => run.createdAtMs > after('created_after'))
      .toSorted((one, other) => one[by] - other[by]);
    if (query.get('sort_order') !== 'asc') found.reverse();
    const limit = Number(query.get('limit') ?? 20);
    const page = { has_next_page: false };
    return reply({ runs: found.slice(0, limit).map(shown), page_info: page });
  }

  function answer(method: string, url: URL, given: Json, key: string, isStale = false) {
    const [name = '', runId = '', verb = ''] = url.pathname.split('/').slice(4);
    if (name === 'run' && method === 'POST') return create(given);
    if (name === 'runs' && runId === '') return list(url.searchParams, isStale);
    if (name === 'runs' && runId) {
      const run = runs.find(({ id }) => id === decodeURIComponent(runId));
      if (!run) return reject(404);
      if (verb === '') return reply(shown(isStale ? earlier(run) : run));
      return act(run, verb, given, key);
    }
    if (url.pathname.endsWith('/agent/environments')) return reply({ environments: [] });
    unknownCalls.add(`${method} ${url.pathname}`);
    return reject(404);
  }

  /** Responds with a `Date` header by the service's clock. */
  function reply(body: Json, status = 200): WireAnswer {
    const date = new Date(Math.floor(scheduler.nowMs)).toUTCString();
    return { status, headers: { date }, body: JSON.stringify(body) };
  }
  const reject = (status: number) => reply({ title: 'rejected', status, retryable: false }, status);

  return {
    runs,
    listeners,
    unknownCalls,
    sent,
    answer,
    /** Notes a text that the app sent to a run, and that may not arrive. */
    noteSent(text: string): void {
      sent.push({ text: text.replace(marked, ''), atMs: scheduler.nowMs });
    },
    isFinished: () => runs.every((run) => isEnded(run) && run.publication?.state !== 'publishing'),
    /** Ends runs that nobody ended or canceled, and merges open pull requests. */
    finish(isCanceled: (requestId: string) => boolean): void {
      isOver = true;
      for (const run of runs) {
        if (!isCanceled(run.requestId)) move(run, 'SUCCEEDED');
        if (merge(run)) changed(run);
      }
    },
  };
}

const atOnce: Fate = { end: 'SUCCEEDED', afterMs: 500, asks: false, changes: 'none' };

export const isoTime = (ms: number) => new Date(ms).toISOString();

const shown = (run: ModelRun) => ({
  run_id: run.id,
  prompt: run.prompt,
  state: run.state,
  title: run.prompt.slice(0, 40),
  created_at: isoTime(run.createdAtMs),
  updated_at: isoTime(run.updatedAtMs),
  metadata: { request_id: run.requestId, slack_team: run.team },
  conversation_id: `conversation of ${run.id}`,
  ...shownPublication(run.publication),
  ...(run.question && {
    agent_progress: {
      question: {
        id: run.question,
        text: 'May I?',
        takes_text: false,
        options: [
          { id: 'yes', label: 'Yes', kind: 'allow_once' },
          { id: 'no', label: 'No', kind: 'reject_once' },
        ],
      },
    },
  }),
});

/** Matches the line that names an author other than the creator. */
const marked = /^Message from .*:\n\n/;
