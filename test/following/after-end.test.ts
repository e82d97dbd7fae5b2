import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import { describe, expect, it, vi } from 'vitest';
import { afterAnswer, endRound, nextResultPollAt } from '../../src/following/progress.ts';
import type { FollowingDeps } from '../../src/following/track.ts';
import { createFollowedRunsStore } from '../../src/store/following/followed-runs.ts';
import type { RequestChanges } from '../../src/store/requests/request-row.ts';
import { aRequest, aRun } from '../support/builders.ts';
import { advanceLeased } from './advance-leased.ts';
import { posted, useOneRequest } from './one-request.ts';

const { database, leased, createParts, current, makeDue, leaseAgain } = useOneRequest();

const now = Date.parse('2026-11-01T12:05:00Z');
const dayMs = 24 * 60 * 60_000;
const at = (time: string) => ({ updated_at: `2026-11-01T${time}Z` });
const pullRequest = (state: string, more: object = {}): Partial<Run> => ({
  artifacts: [
    {
      artifact_type: 'PULL_REQUEST',
      data: { url: 'https://github.com/acme/shop/pull/12', number: 12, state, ...more },
    },
  ],
});
const ended = (more: Partial<Run>) =>
  aRequest({
    step: 'ended',
    endedAt: now,
    changeSeenAt: Date.parse('2026-11-01T12:04:00Z'),
    run: aRun({ state: 'SUCCEEDED', ...at('12:04:00'), ...more }),
  });

describe('an answer about a run that has ended', () => {
  it('changes its results, but neither its state nor its times', () => {
    const answer = aRun({ state: 'INPROGRESS', ...at('12:09:00'), ...pullRequest('merged') });
    const { run, ...changes } = afterAnswer(ended(pullRequest('open')), answer, now);
    expect(run).toMatchObject({ state: 'SUCCEEDED', ...at('12:04:00'), ...pullRequest('merged') });
    expect(changes).toEqual({
      failures: 0,
      missingSince: null,
      nextPollAt: null,
      changeSeenAt: Date.parse('2026-11-01T12:09:00Z'),
    });
  });

  it('keeps the answer of the agent, which lists omit', () => {
    const known = ended({ agent_progress: { answer: 'Done.' }, ...pullRequest('open') });
    const { run } = afterAnswer(known, aRun({ ...at('12:09:00'), ...pullRequest('closed') }), now);
    expect(run?.agent_progress?.answer).toBe('Done.');
  });

  it('changes nothing if it is older than what is known', () => {
    const late = aRun({ ...at('12:03:00'), ...pullRequest('draft') });
    expect(afterAnswer(ended(pullRequest('open')), late, now)).not.toHaveProperty('run');
  });
});

describe('an ended run is read again', () => {
  it.each<[what: string, run: Partial<Run>, fromMs: number, toMs: number]>([
    [
      'every second or so while it is published',
      { publication: { state: 'publishing' } },
      800,
      1_200,
    ],
    ['rarely while its pull request is open', pullRequest('open'), 45_000, 75_000],
    ['rarely while its pull request is a draft', pullRequest('draft'), 45_000, 75_000],
    [
      'after two weeks while someone may publish it',
      { publication: { state: 'offered' } },
      14 * dayMs,
      14 * dayMs + 2,
    ],
  ])('%s', (_, run, fromMs, toMs) => {
    const inMs = (nextResultPollAt(ended(run), now) ?? 0) - now;
    expect(inMs).toBeGreaterThanOrEqual(fromMs);
    expect(inMs).toBeLessThanOrEqual(toMs);
  });

  it.each<[what: string, run: Partial<Run>]>([
    ['nothing came of it', {}],
    ['its pull request is merged', pullRequest('merged')],
    ['its pull request is closed', pullRequest('closed')],
    ["the service doesn't say how its pull request is", pullRequest('')],
  ])('never when %s', (_, run) => expect(nextResultPollAt(ended(run), now)).toBeNull());

  const askedFor = (run: Partial<Run>) => {
    const request = { ...ended(run), publishAskedAt: now - 5_000, publishOutcome: 'seen' as const };
    return (nextResultPollAt(request, now) ?? 0) - now;
  };
  const published = { publication: { state: 'published' } };

  it.each<[what: string, run: Partial<Run>]>([
    ['its pull request is open', { ...published, ...pullRequest('open') }],
    ["the service doesn't say how its pull request is", { ...published, ...pullRequest('') }],
    ['it has no pull request yet', published],
    ['another one is offered', { publication: { state: 'offered' }, ...pullRequest('merged') }],
  ])('every second or so while someone waits for what they asked for, and %s', (_, run) => {
    expect(askedFor(run)).toBeLessThanOrEqual(1_200);
  });

  it.each(['merged', 'closed'])(
    'rarely once the pull request that was asked for is %s',
    (state) => {
      expect(askedFor({ ...published, ...pullRequest(state) })).toBeGreaterThan(13 * dayMs);
    },
  );

  it('never after two weeks', () => {
    expect(nextResultPollAt(ended(pullRequest('open')), now + 15 * dayMs)).toBeNull();
  });
});

describe('the follower', () => {
  const over = {
    ...posted,
    step: 'ended',
    runId: 'run-1',
    endedAt: Date.now(),
    changeSeenAt: 5,
    run: aRun({ state: 'SUCCEEDED', ...pullRequest('open') }),
  } satisfies RequestChanges;
  const reading = (get: () => Promise<Run>) =>
    createParts({ runs: { get: vi.fn(get) } as unknown as FollowingDeps['runs'] });

  it('shows a merge that a sweep has seen, and tells no second end', async () => {
    const merged = aRun({ updated_at: new Date().toISOString(), ...pullRequest('merged') });
    await leased({ ...over, nextPollAt: Date.now() + 60_000 });
    const end = endRound(await current());
    const { deliverUpdates } = createFollowedRunsStore(database());
    await deliverUpdates([merged]);
    expect(await advanceLeased(createParts(), await leaseAgain())).toBeNull();
    const after = await current();
    expect(after).toMatchObject({ step: 'ended', nextPollAt: null, run: pullRequest('merged') });
    expect([after.run?.state, endRound(after)]).toEqual(['SUCCEEDED', end]);
    expect(after.pendingUpdate).toBeNull();
  });

  it('takes over each change once, however often it is listed', async () => {
    const approved = { state: 'INPROGRESS', ...pullRequest('open', { review: 'approved' }) };
    const listed = aRun({ ...approved, updated_at: new Date().toISOString() });
    await leased({ ...over, nextPollAt: Date.now() + 60_000 });
    const { deliverUpdates } = createFollowedRunsStore(database());
    await deliverUpdates([listed]);
    await advanceLeased(createParts(), await leaseAgain());
    await database().updateTable('requests').set({ due_at: null }).execute();
    await deliverUpdates([listed]);
    const rows = await database().selectFrom('requests').select(['due_at']).execute();
    expect(rows).toEqual([{ due_at: null }]);
    expect(await current()).toMatchObject({ pendingUpdate: null });
  });

  it("leaves an ended run alone once nothing can change, also when it's listed", async () => {
    await leased({ ...over, nextPollAt: null });
    await database().updateTable('requests').set({ due_at: null }).execute();
    await createFollowedRunsStore(database()).deliverUpdates([
      aRun({ updated_at: new Date().toISOString(), ...pullRequest('merged') }),
    ]);
    expect(await current()).toMatchObject({ pendingUpdate: null, run: pullRequest('open') });
  });

  it("reads the run when no sweep has seen it, and again later if the service doesn't answer", async () => {
    const parts = reading(async () => {
      throw new RunsApiError({ code: 'server_error', message: 'no', retryable: true });
    });
    const readAt = Date.now();
    const dueAt = await advanceLeased(parts, await leased({ ...over, nextPollAt: 1 }));
    expect(dueAt).toBeGreaterThan(readAt + 500);
    expect(await current()).toMatchObject({ step: 'ended', nextPollAt: dueAt });
    const merged = aRun({ updated_at: new Date().toISOString(), ...pullRequest('merged') });
    await database().updateTable('requests').set({ next_poll_at: 1 }).execute();
    await makeDue();
    await advanceLeased(
      reading(async () => merged),
      await leaseAgain(),
    );
    expect(await current()).toMatchObject({ run: pullRequest('merged'), nextPollAt: null });
  });

  it('stops reading a run that its service has deleted', async () => {
    const parts = reading(async () => {
      throw new RunsApiError({ code: 'not_found', message: 'no', status: 404 });
    });
    expect(await advanceLeased(parts, await leased({ ...over, nextPollAt: 1 }))).toBeNull();
    expect(await current()).toMatchObject({ step: 'ended', nextPollAt: null, problem: null });
  });
});
