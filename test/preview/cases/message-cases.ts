import type { Run } from 'runs-client/contract';
import { earlierRun } from '../../../src/slack/runs/showing/earlier-run.ts';
import type { RunRequest } from '../../../src/store/requests/request-row.ts';
import { aRequest, aRun } from '../../support/builders.ts';
import { spendQuestion, waiting } from './a-question.ts';
import { fences, hebrew, long, longLog, manyArtifacts } from './long-texts.ts';

const started = { started_at: '2026-11-01T12:00:05.000Z' };
const link = { session_link: 'https://runs.example.com/session/4f1c' };
const config = { environment_id: 'shop', model_id: 'large-2', skill_spec: 'acme/skills:review' };
const base = {
  creatorId: 'U04ADALOVEL',
  prompt:
    'Count the TODO comments and say which file has most.\nThen open a pull request for the oldest one.',
  title: 'Count the TODO comments',
  config,
};

const ended = { ...started, ...link, updated_at: '2026-11-01T12:02:19.000Z' };
const withRun = (run: Partial<Run>, more: Partial<RunRequest> = {}): RunRequest =>
  aRequest({ ...base, run: aRun({ agent_config: config, ...run }), ...more });
const over = (run: Partial<Run>): RunRequest =>
  withRun({ ...ended, ...run }, { step: 'ended', endedAt: Date.parse('2026-11-01T12:02:20Z') });
const problem = (code: string, message: string) => ({ code, message, since: 1_793_536_496_000 });
const failed = (error_code: string, message: string, more: object = {}) =>
  over({ state: 'FAILED', status_message: { message, error_code, ...more } });
/** Usage of a run with a cap of $5, or of $50 in a period. */
const usageOf = (spent: number, cap: { scope: string; per: string; name?: string }) => ({
  inference_cost_usd: cap.scope === 'run' ? spent : 1.2,
  tightest_cap: { ...cap, spent_usd: spent, limit_usd: cap.per === 'run' ? 5 : 50 },
});
const pullRequest = (number: number) => ({
  artifact_type: 'PULL_REQUEST',
  data: { url: `https://github.com/acme/shop/pull/${number}`, branch: `todo-${number}` },
});
const files = Array.from({ length: 16 }, (_, index) => ({
  artifact_type: 'FILE',
  data: { name: `report-${index + 1}.csv` },
}));

const again: RunRequest['origin'] = {
  kind: 'again',
  fields: { environment_id: earlierRun, model_id: 'typed', skill_spec: earlierRun },
  again: {
    requestId: 'T1-V0',
    link: 'https://acme.slack.com/archives/C1/p1700000000000100',
  },
};

const outcome = {
  answer:
    'I fixed the **login loop** in `src/login.ts`: an expired session was read twice.\n\n' +
    '- `npm test` passes\n- one test is new\n\nSee [the log](https://ci.example.com/412).',
  changes: {
    files: 3,
    insertions: 41,
    deletions: 7,
    largest: [
      { path: 'src/login.ts', insertions: 24, deletions: 6 },
      { path: 'test/login.test.ts', insertions: 16, deletions: 0 },
      { path: 'CHANGELOG.md', insertions: 1, deletions: 1 },
    ],
  },
};

const progress = {
  step: 'bash npm test',
  plan: [
    { title: 'Find the bug', state: 'completed' },
    { title: 'Fix it', state: 'in_progress' },
    { title: 'Run the tests', state: 'pending' },
  ],
};

const longPlan = {
  plan: Array.from({ length: 50 }, (_, index) => ({
    title: `Look at package ${index + 1} <!channel> & say what is wrong`,
    state: index < 44 ? 'completed' : index === 44 ? 'in_progress' : 'pending',
  })),
};

const patch = {
  artifact_type: 'FILE',
  data: { artifact_uid: 'a1', filename: 'changes.patch', mime_type: 'text/x-diff' },
};
const withResults = (...artifacts: Run['artifacts'] & object) =>
  over({ state: 'SUCCEEDED', agent_progress: outcome, artifacts: [...artifacts, patch] });
const openOne = (more: object) => ({
  artifact_type: 'PULL_REQUEST',
  data: { ...pullRequest(412).data, number: 412, ...more },
});
const published = (publication: Run['publication'], ...artifacts: Run['artifacts'] & object) => {
  const request = withResults(...artifacts);
  return { ...request, run: request.run && { ...request.run, publication } };
};

/** Ended runs with each state of their changes and pull request. */
const pullRequestCases: readonly (readonly [name: string, request: RunRequest])[] = [
  ['succeeded with changes', published({ state: 'offered' })],
  ['while its pull request is created', published({ state: 'publishing' })],
  [
    'with a pull request that could not be created',
    published({ state: 'failed', message: 'The branch "main" is protected.' }),
  ],
  [
    'with a requested pull request',
    {
      ...published({ state: 'offered' }),
      publishAskedAt: 1_793_536_496_000,
      publishAskedBy: 'U1',
      publishWanted: { action: 'publish' },
    },
  ],
  [
    'with a merge that the service rejected',
    {
      ...withResults(openOne({ state: 'open', checks: 'failing' })),
      publishAskedAt: 1_793_536_496_000,
      publishAskedBy: 'U1',
      publishWanted: { action: 'merge' },
      publishOutcome: 'rejected',
      publishProblem: 'A required check failed. <!here>',
    },
  ],
  [
    'with changes on a branch',
    published({ state: 'published', mode: 'branch', branch: 'agent/4f1c' }),
  ],
  [
    'with a pull request that waits for review',
    withResults(openOne({ state: 'open', checks: 'pending', review: 'required' })),
  ],
  ['with a draft', withResults(openOne({ state: 'draft', checks: 'failing' }))],
  [
    'with an approved pull request',
    withResults(openOne({ state: 'open', checks: 'passing', review: 'approved' })),
  ],
  ['with a merged pull request', withResults(openOne({ state: 'merged' }))],
  ['with a closed pull request', withResults(openOne({ state: 'closed' }))],
  [
    'with an answer that is too long',
    over({ state: 'SUCCEEDED', agent_progress: { ...outcome, answer: long } }),
  ],
];

/** The run message in every state, including the longest texts. */
export const messageCases: readonly (readonly [name: string, request: RunRequest])[] = [
  ['accepted', aRequest({ ...base, step: 'accepted', run: null, runId: null })],
  [
    'queued',
    withRun({ state: 'QUEUED', status_message: { message: '3 runs ahead in the queue' } }),
  ],
  [
    'queued in a busy environment',
    withRun(
      { state: 'QUEUED', status_message: { message: 'Next in the queue' } },
      { usual: { waitMs: 134_000 } },
    ),
  ],
  [
    'from a thread',
    withRun(started, {
      origin: {
        kind: 'mention',
        source: { channelId: 'C1', ts: '1.0', permalink: 'https://acme.slack.com/archives/C1/p10' },
        context: { messages: 4, characters: 1_204, masked: 1 },
      },
    }),
  ],
  ['starting', withRun({ state: 'PENDING' })],
  ['in progress', withRun({ ...started, ...link })],
  ['in progress with a plan', withRun({ ...started, ...link, agent_progress: progress })],
  ['needs input', withRun({ ...started, ...link, ...waiting })],
  [
    'in progress at 80% of a cap',
    withRun({ ...started, ...link, request_usage: usageOf(4, { scope: 'run', per: 'run' }) }),
  ],
  [
    'in progress at 80% of the cap of a channel',
    withRun({
      ...started,
      ...link,
      request_usage: usageOf(41.3, { scope: 'channel', name: '#backend', per: 'week' }),
    }),
  ],
  [
    'at a cap',
    withRun({
      ...started,
      ...link,
      state: 'BLOCKED',
      agent_progress: { question: spendQuestion },
      request_usage: usageOf(5, { scope: 'run', per: 'run' }),
    }),
  ],
  ['a new state', withRun({ ...started, state: 'DREAMING' })],
  ['without updates', withRun(started, { problem: problem('connection', 'ECONNREFUSED') })],
  [
    'succeeded',
    over({
      state: 'SUCCEEDED',
      artifacts: [...files, pullRequest(412), pullRequest(413)],
      request_usage: {
        inference_cost_usd: 0.39,
        compute_cost_usd: 0.03,
        total_tokens: 81_204,
        models: [
          { model: 'claude-opus-5-5', cost_usd: 0.38, tokens: 76_100, calls: 11 },
          { model: 'claude-haiku-4-5', cost_usd: 0.01, tokens: 5_104, calls: 2 },
        ],
        tightest_cap: {
          scope: 'channel',
          name: '#backend',
          limit_usd: 50,
          spent_usd: 41.3,
          per: 'week',
          resets_at: '2026-11-02T00:00:00Z',
        },
      },
    }),
  ],
  ['succeeded with an answer', over({ state: 'SUCCEEDED', agent_progress: outcome })],
  ...pullRequestCases,
  ['run again with changes', { ...over({ state: 'SUCCEEDED' }), origin: again }],
  ['failed', failed('environment_setup_failed', 'npm ci: exit code 1\nENOENT: package-lock.json')],
  [
    'failed, needs an account',
    failed('external_authentication_required', 'GitHub is not connected.', {
      auth_url: 'https://runs.example.com/connect/github',
    }),
  ],
  ['failed without a reason', over({ state: 'ERROR', status_message: null })],
  ['canceled', over({ state: 'CANCELLED', status_message: { message: 'Canceled by Ada' } })],
  [
    'not started',
    aRequest({
      ...base,
      step: 'not_started',
      run: null,
      runId: null,
      problem: problem(
        'unprocessable',
        'config.environment_id: environment "shop" doesn\'t exist. Choose one of these: docs, api.',
      ),
    }),
  ],
  [
    'not started over a cap',
    aRequest({
      ...base,
      step: 'not_started',
      run: null,
      runId: null,
      problem: problem(
        'budget_exceeded',
        '#backend has spent $50.00 of $50.00 this week. It resets on Monday, November 30 at 00:00 (Europe/Berlin).',
      ),
    }),
  ],
  [
    'stopped at a cap',
    over({
      state: 'FAILED',
      status_message: {
        message: 'This run has spent $5.00 of $5.00. It was stopped there.',
        error_code: 'budget_exceeded',
      },
      agent_progress: { changes: { files: 2, insertions: 41, deletions: 7 } },
      publication: { state: 'offered' },
      request_usage: usageOf(5, { scope: 'run', per: 'run' }),
    }),
  ],
  ['being canceled', withRun(started, { cancelAskedAt: 1_793_536_496_000, cancelAskedBy: 'U1' })],
  [
    'with a cancellation that the service rejected',
    withRun(started, {
      cancelAskedAt: 1_793_536_496_000,
      cancelAskedBy: 'U1',
      cancelOutcome: 'not_cancelable',
    }),
  ],
  [
    'canceled before it started',
    aRequest({
      ...base,
      step: 'ended',
      run: null,
      runId: null,
      cancelAskedBy: 'U1',
      problem: problem('canceled_before_start', ''),
    }),
  ],
  [
    'no longer followed',
    withRun(started, {
      unfollowedAt: 1_793_536_496_000,
      problem: problem('followed_long_enough', ''),
    }),
  ],
  [
    'unknown to its service',
    withRun(started, {
      step: 'ended',
      missingSince: 1_793_536_496_000,
      problem: problem('gone', ''),
    }),
  ],
  [
    'with a prompt of 3,000 characters',
    withRun({ ...started, ...link }, { prompt: long.slice(0, 3_000), title: long.slice(0, 300) }),
  ],
  [
    'from right to left',
    withRun({ ...started, ...link }, { prompt: hebrew, title: 'ספירת הערות TODO' }),
  ],
  [
    'with code and a table',
    withRun({ ...started, ...link }, { prompt: fences, title: '| file | `TODO` |' }),
  ],
  ['with 40 artifacts', over({ state: 'SUCCEEDED', artifacts: manyArtifacts })],
  ['failed with a log of 100 KB', failed('', longLog)],
  [
    'in progress with a status of 100 KB',
    withRun({ ...started, ...link, status_message: { message: 'word '.repeat(20_000) } }),
  ],
  ['in a thread', withRun(started, { origin: { kind: 'mention', threadTs: '1.0' } })],
  [
    'starting during an outage',
    aRequest({
      ...base,
      step: 'posted',
      run: null,
      runId: null,
      problem: problem('connection', 'ECONNREFUSED'),
    }),
  ],
  ['at its worst', failed('internal_error', '```\n<!channel> & 😀 שלום\n'.repeat(5_000), {})],
  ['in progress with a plan of 50 steps', withRun({ ...started, agent_progress: longPlan })],
  [
    'failed with a plan',
    over({
      state: 'FAILED',
      status_message: { message: 'npm test failed' },
      agent_progress: progress,
    }),
  ],
];
