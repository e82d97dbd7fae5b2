import { expect, it } from 'vitest';
import type { ServiceKey } from '../../src/api/keys/keyring.ts';
import { describeApi } from '../../src/api/openapi.ts';
import { createArtifactStore } from '../../src/store/artifacts.ts';
import { createModelCalls } from '../../src/store/model-calls.ts';
import { createRunQuestions } from '../../src/store/run-questions.ts';
import { openTestDatabase } from '../support/databases.ts';
import { shellEnvironment, startRunsService, testKey } from '../support/runs-service.ts';
import { aCall, aSettledCall, callOwner } from '../support/service/model-call-builder.ts';

const creator = { type: 'user', uid: 'ada', display_name: 'Ada' } as const;
const readKey = 'test-key-that-reads-0123456789abcdef';
const keys: ServiceKey[] = [
  { key: testKey, role: 'all', creator },
  { key: readKey, role: 'read', creator: { ...creator, uid: 'reader' } },
];

type Operation = { operationId: string; requestBody?: object; responses: object };

const operations = Object.entries(describeApi('').paths).flatMap(([path, all]) =>
  Object.entries(all as unknown as Record<string, Operation>).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operationId: operation.operationId,
    hasBody: operation.requestBody !== undefined,
    statuses: Object.keys(operation.responses).map(Number),
  })),
);

/** Answers that need a code host. `publish.test.ts` and `actions.test.ts` test them. */
const withCodeHost = ['publishRun 200', 'changePullRequest 200', 'changePullRequest 409'];

const json = { 'content-type': 'application/json' };

/** Prepares a run that has ended, an active one, and one that waits for an answer and has an artifact. */
async function prepare() {
  const db = await openTestDatabase('sqlite::memory:');
  const environments = [shellEnvironment('sleep 1000')];
  const client = await startRunsService({ environments, keys, db });
  const begin = async () => {
    const id = await client.begin({ prompt: 'x' });
    await client.until(id, 'INPROGRESS');
    return id;
  };
  const [ended, active, blocked] = [await begin(), await begin(), await begin()];
  await client.request(`/agent/runs/${ended}/cancel`, { method: 'POST' });
  await client.until(ended, 'CANCELLED');
  const plan = { uid: 'plan', number: 1, artifactType: 'PLAN', createdAt: 1 } as const;
  await createArtifactStore(db).replace(blocked, undefined, [
    { ...plan, runId: blocked, data: { text: '- [ ] One' } },
  ]);
  const question = { id: 'q', text: '?', options: [{ id: 'a', label: 'A' }] };
  await createRunQuestions(db).ask(undefined, {
    run_id: blocked,
    question_id: 'q',
    question_json: JSON.stringify(question),
    asked_at: Date.now(),
  });
  const modelCalls = createModelCalls(db);
  const spent = aCall(active, { spendKeys: ['workspace:T1'] });
  await modelCalls.reserve(spent, []);
  await modelCalls.settle(spent.id, callOwner, aSettledCall({ priceMicros: 2_000_000 }));
  const nightly = { name: 'Nightly', cron_schedule: '0 0 29 2 *', prompt: 'x' };
  const made = await client.request('/agent/schedules', {
    method: 'POST',
    headers: json,
    body: JSON.stringify(nightly),
  });
  const { id: schedule } = (await made.json()) as { id: string };
  const limited = await startRunsService({ environments, keys, requestsPerMinute: 1 });
  await limited.request('/agent/runs');
  return { client, limited, ended, active, blocked, schedule, nightly };
}
type Prepared = Awaited<ReturnType<typeof prepare>>;

const large = Buffer.alloc(17 * 1024 * 1024, ' ');

/** Collects the answers to the same mistakes in every operation. */
async function answersToMistakes({ client, limited, ended, schedule }: Prepared) {
  const found: string[] = [];
  for (const { method, path, operationId, hasBody } of operations) {
    const at = (id: string) => path.replace(/\{\w+\}/, id);
    const known = path.includes('{scheduleId}') ? schedule : ended;
    const ask = async (service: typeof client, id: string, init: RequestInit = {}) => {
      const { status } = await service.request(at(id), { method, ...init });
      found.push(`${operationId} ${status}`);
    };
    await ask(client, known, { headers: { authorization: 'Bearer wrong' } });
    await ask(limited, known);
    if (path.includes('{')) await ask(client, 'none');
    if (method === 'GET') continue;
    await ask(client, known, { headers: { authorization: `Bearer ${readKey}` } });
    await ask(client, known, { headers: { ...json, connection: 'close' }, body: large });
    if (!hasBody) continue;
    await ask(client, known, { body: 'x' });
    await ask(client, known, { headers: json, body: '[' });
  }
  return found;
}

async function answersToCalls({ client, ended, active, blocked, schedule, nightly }: Prepared) {
  const run = (id: string, end = '') => `/agent/runs/${id}${end}`;
  const answer = { question_id: 'q', option_id: 'a' };
  const caps = [{ scope: 'workspace', usd: 1, per: 'month' }];
  const over = { prompt: 'x', limits: { workspace: 'T1', caps } };
  const long = { prompt: 'x', title: 'x'.repeat(600) };
  const tooLong = { ...nightly, name: 'x'.repeat(600) };
  const at = (end = '') => `/agent/schedules/${schedule}${end}`;
  const calls: [operationId: string, path: string, body?: object | null, method?: string][] = [
    ['createRun', '/agent/run', { prompt: 'x' }],
    ['createRun', '/agent/run', long],
    ['createRun', '/agent/run', over],
    ['createRunInList', '/agent/runs', { prompt: 'x' }],
    ['createRunInList', '/agent/runs', long],
    ['createRunInList', '/agent/runs', over],
    ['listRuns', '/agent/runs'],
    ['listRuns', '/agent/runs?nothing=1'],
    ['followRuns', '/agent/runs/events'],
    ['getRun', run(active)],
    ['revokeSessionLink', run(active, '/session-link/revoke'), null],
    ['cancelRun', run(active, '/cancel'), null],
    ['cancelRun', run(ended, '/cancel'), null],
    ['publishRun', run(blocked, '/publish'), {}],
    ['publishRun', run(ended, '/publish'), {}],
    ['changePullRequest', run(ended, '/pull-request'), { action: 'merge' }],
    ['sendFollowUp', run(blocked, '/followups'), { message: 'x' }],
    ['sendFollowUp', run(blocked, '/followups'), { message: 'x'.repeat(200_001) }],
    ['answerQuestion', run(ended, '/answers'), answer],
    ['answerQuestion', run(ended, '/answers'), { ...answer, question_id: '\0' }],
    ['answerQuestion', run(blocked, '/answers'), answer],
    ['createSchedule', '/agent/schedules', nightly],
    ['createSchedule', '/agent/schedules', tooLong],
    ['listSchedules', '/agent/schedules'],
    ['listSchedules', '/agent/schedules?nothing=1'],
    ['getSchedule', at()],
    ['updateSchedule', at(), nightly, 'PUT'],
    ['updateSchedule', at(), tooLong, 'PUT'],
    ['pauseSchedule', at('/pause'), null],
    ['resumeSchedule', at('/resume'), null],
    ['deleteSchedule', at(), null, 'DELETE'],
    ['getArtifact', '/agent/artifacts/plan'],
    ['listEnvironments', '/agent/environments'],
    ['listEnvironments', '/agent/environments?nothing=1'],
    ['getUsage', '/agent/usage'],
    ['getUsage', '/agent/usage?since=yesterday'],
    ['listAgents', '/agent?repo=o/r'],
    ['listAgents', '/agent?nothing=1'],
  ];
  const found: string[] = [];
  for (const [operationId, path, body, verb = 'POST'] of calls) {
    const method = body === undefined ? 'GET' : verb;
    const init = { method, headers: json, ...(body && { body: JSON.stringify(body) }) };
    const response = await client.request(path, init);
    await response.body?.cancel();
    found.push(`${operationId} ${response.status}`);
  }
  return found;
}

it('the service gives exactly the answers of its OpenAPI document', async () => {
  const prepared = await prepare();
  const found = [...(await answersToMistakes(prepared)), ...(await answersToCalls(prepared))];
  const documented = operations.flatMap(({ operationId, statuses }) =>
    statuses.filter((status) => status !== 500).map((status) => `${operationId} ${status}`),
  );
  expect([...new Set([...found, ...withCodeHost])].toSorted()).toEqual(documented.toSorted());
});
