import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import { describe, expect, it, vi } from 'vitest';
import type { FollowingDeps } from '../../../src/following/track.ts';
import type { PublishWanted } from '../../../src/requests/publish.ts';
import { createFollowedRunsStore } from '../../../src/store/following/followed-runs.ts';
import { createRequestMarks } from '../../../src/store/requests/request-marks.ts';
import type { RequestChanges } from '../../../src/store/requests/request-row.ts';
import { aRun } from '../../support/builders.ts';
import { advanceLeased } from '../advance-leased.ts';
import { useOneRequest } from '../one-request.ts';

const { database, leased, createParts, current, leaseAgain } = useOneRequest();

const request = { title: 'Fix the login', reviewers: ['ada'] };
const publishing: PublishWanted = { action: 'publish', request };
const ask = (wanted: PublishWanted = publishing, userId = 'U1') =>
  createRequestMarks(database()).askPublish('r1', userId, wanted, Date.now());

const pullRequest = (state: string) => ({
  artifacts: [{ artifact_type: 'PULL_REQUEST', data: { url: 'https://git.example/1', state } }],
});
const offered = aRun({ state: 'SUCCEEDED', publication: { state: 'offered' } });
const over: RequestChanges = {
  step: 'posted',
  runId: 'run-1',
  endedAt: Date.now(),
  changeSeenAt: 5,
  run: offered,
  nextPollAt: Date.now() + 60_000,
};

/** Requests publishing for an ended request, with a service that behaves like this. */
async function asked(
  { publish, run = {} }: { publish: () => Promise<unknown>; run?: Partial<Run> },
  wanted = publishing,
) {
  await leased({ ...over, step: 'ended' });
  expect(await ask(wanted)).toBe(true);
  const calls = vi.fn((..._: unknown[]) => publish());
  const get = vi.fn(async () => aRun({ updated_at: new Date().toISOString(), ...run }));
  const runs = { get, publish: calls, changePullRequest: calls };
  const parts = createParts({ runs: runs as unknown as FollowingDeps['runs'] });
  return { calls, get, parts, works: async () => advanceLeased(parts, await leaseAgain()) };
}

const accepts = async () => ({ run_id: 'run-1' });
const fails =
  (code: RunsApiError['code'], more: object = {}) =>
  async () => {
    throw new RunsApiError({ code, message: 'no', ...more });
  };
/** Makes the next attempt due. */
const hurry = () =>
  database().updateTable('requests').set({ publish_retry_at: 1, due_at: 1 }).execute();

describe('publishing the changes of a run', () => {
  it('is asked for once, however many people ask at once', async () => {
    await leased({ ...over, step: 'ended' });
    const answers = await Promise.all([ask(), ask(publishing, 'U2'), ask(publishing, 'U3')]);
    expect(answers.filter(Boolean)).toHaveLength(1);
  });

  it.each<RequestChanges>([{ step: 'following' }, { step: 'ended', runId: null }])(
    'is only possible for a run that has ended: %j',
    async (changes) => {
      await leased({ ...over, ...changes });
      expect(await ask()).toBe(false);
    },
  );

  it('sends what the person wants, then shows what the service makes of it', async () => {
    const { calls, works } = await asked({
      publish: accepts,
      run: { publication: { state: 'publishing' } },
    });
    const dueAt = await works();
    expect(calls.mock.calls).toEqual([['run-1', request, expect.anything()]]);
    expect(dueAt).toBeLessThan(Date.now() + 3_000);
    expect(await current()).toMatchObject({
      step: 'ended',
      publishOutcome: 'seen',
      publishAskedBy: 'U1',
      run: { state: 'SUCCEEDED', publication: { state: 'publishing' } },
    });
  });

  it("can't be asked for again before the run was read since then", async () => {
    const { works, get } = await asked({ publish: accepts });
    get.mockImplementation(fails('server_error', { retryable: true }));
    await works();
    // This state was read before the publish request, but is delivered after it.
    const old = aRun({ updated_at: new Date().toISOString(), publication: { state: 'offered' } });
    await createFollowedRunsStore(database()).deliverUpdates([old]);
    await works();
    expect([(await current()).publishOutcome, await ask()]).toEqual(['accepted', false]);
    get.mockImplementation(async () =>
      aRun({ updated_at: new Date().toISOString(), publication: { state: 'failed' } }),
    );
    await database().updateTable('requests').set({ next_poll_at: 1, due_at: 1 }).execute();
    await works();
    expect([(await current()).publishOutcome, await ask()]).toEqual(['seen', true]);
  });

  it.each([
    ['publish', { publication: { state: 'publishing' } }],
    ['publish', { publication: { state: 'published' } }],
    ['mark_ready', pullRequest('open')],
    ['merge', pullRequest('merged')],
  ] as const)('looks first after a lost answer: %s, %j', async (action, run) => {
    const lost = fails('ambiguous', { retryable: true });
    const { calls, works } = await asked({ publish: lost, run }, { action });
    await works();
    expect(await current()).toMatchObject({ publishOutcome: null });
    await hurry();
    await works();
    expect(calls).toHaveBeenCalledTimes(1);
    expect(await current()).toMatchObject({ publishOutcome: 'seen' });
  });

  it('looks first after a crash during the call, and asks again if nothing has happened', async () => {
    const { calls, parts, works } = await asked({
      publish: () => new Promise(() => undefined),
      run: { publication: { state: 'offered' } },
    });
    const killed = advanceLeased(parts, await leaseAgain());
    killed.catch(() => undefined);
    await expect.poll(() => calls.mock.calls.length).toBe(1);
    calls.mockImplementation(accepts);
    await works();
    expect(calls).toHaveBeenCalledTimes(2);
    expect(await current()).toMatchObject({ publishOutcome: 'seen' });
  });

  it.each([
    ['unprocessable', { status: 422 }, 'rejected'],
    ['forbidden', { status: 403 }, 'rejected'],
    ['not_found', { status: 404 }, 'not_offered'],
    ['client_error', { status: 405 }, 'not_offered'],
  ] as const)('takes "%s" %j as an answer: %s', async (code, more, publishOutcome) => {
    const { calls, works } = await asked({ publish: fails(code, more) });
    await works();
    await hurry();
    await works();
    expect(calls).toHaveBeenCalledTimes(1);
    expect(await current()).toMatchObject({ publishOutcome, publishProblem: 'no' });
    expect(await ask(publishing, 'U2')).toBe(true);
  });

  it('forgets a rejection when something has changed', async () => {
    const { works } = await asked({ publish: fails('unprocessable', { status: 422 }) });
    await works();
    const merged = aRun({ updated_at: new Date().toISOString(), ...pullRequest('merged') });
    await createFollowedRunsStore(database()).deliverUpdates([merged]);
    await works();
    expect(await current()).toMatchObject({ publishOutcome: 'seen' });
  });

  it('is done if someone asks again while a change that outdates the rejection is taken over', async () => {
    const { parts, works, calls } = await asked({
      publish: fails('unprocessable', { status: 422 }),
    });
    await works();
    const changed = aRun({ updated_at: new Date().toISOString(), ...pullRequest('open') });
    await createFollowedRunsStore(database()).deliverUpdates([changed]);
    const held = await leaseAgain();
    expect(await ask(publishing, 'U2')).toBe(true);
    calls.mockImplementation(accepts);
    await advanceLeased(parts, held);
    await works();
    expect(calls).toHaveBeenCalledTimes(2);
    expect(await current()).toMatchObject({ publishOutcome: 'seen', publishAskedBy: 'U2' });
  });

  it('gives up after a while, and says why', async () => {
    const { works } = await asked({ publish: fails('conflict', { status: 409 }) });
    const triedAt = Date.now();
    expect(await works()).toBeGreaterThan(triedAt + 500);
    const longAgo = Date.now() - 16 * 60_000;
    await database().updateTable('requests').set({ publish_asked_at: longAgo }).execute();
    await hurry();
    await works();
    expect(await current()).toMatchObject({ publishOutcome: 'rejected', publishProblem: 'no' });
  });
});
