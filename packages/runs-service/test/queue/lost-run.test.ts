import { describe, expect, it } from 'vitest';
import { afterLoss } from '../../src/queue/lost-run.ts';
import { createFollowups } from '../../src/store/followups.ts';
import { createRuns } from '../../src/store/runs.ts';
import { useDatabase } from '../support/databases.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

describe('a lost run', () => {
  const db = useDatabase();
  const restarting = { id: 'e', repositories: [], command: ['x'], restart: true };
  it.each([
    ['fails as retryable', {}, { ...restarting, restart: false }, 'FAILED'],
    ['fails if its environment is gone', {}, undefined, 'FAILED'],
    ['starts over if its environment allows it', { restarts: 2 }, restarting, 'restart'],
    ['does not start over forever', { restarts: 3 }, restarting, 'FAILED'],
    ['is canceled if someone requested it', { cancel_requested: 1 }, restarting, 'CANCELLED'],
  ])('%s', async (_name, more, environment, becomes) => {
    const run = await createRuns(db()).create(aServiceRun());
    const next = afterLoss({ ...run, ...more }, environment, 'It was killed');
    expect(next === 'restart' ? next : next.state).toBe(becomes);
    if (next === 'restart' || next.state !== 'FAILED') return;
    expect(next.status).toMatchObject({ retryable: true });
    expect(next.status.message).toContain('It was killed');
  });

  it('ends with the reason if its spending was stopped, instead of starting over', async () => {
    const run = await createRuns(db()).create(aServiceRun());
    const stopped = { ...run, spend_stopped: 'This run has spent $5.00 of $5.00.' };
    expect(afterLoss(stopped, restarting, 'It was killed')).toEqual({
      state: 'FAILED',
      status: {
        message: 'This run has spent $5.00 of $5.00.',
        error_code: 'budget_exceeded',
        retryable: false,
      },
    });
  });
});

describe('follow-ups in the store', () => {
  const db = useDatabase();

  it('are taken in order, again after a lost reply, and rejected after the last one', async () => {
    const runs = createRuns(db());
    const followups = createFollowups(db());
    const { id } = await runs.create(aServiceRun());
    const add = (message: string) => followups.add(id, ['QUEUED'], { message, key: null });
    expect(await Promise.all([add('1'), add('2')])).toEqual([true, true]);
    const first = { number: 1, message: '1' };
    expect(await followups.takeOrClose(id, 0)).toEqual(first);
    expect(await followups.takeOrClose(id, 0)).toEqual(first);
    expect(await add('3')).toBe(true);
    expect(await followups.takeOrClose(id, 1)).toEqual({ number: 2, message: '2' });
    expect(await followups.takeOrClose(id, 2)).toEqual({ number: 3, message: '3' });
    expect(await followups.takeOrClose(id, 3)).toBeUndefined();
    expect(await add('late')).toBe(false);
    expect(await followups.listOf(id)).toEqual(['1', '2', '3']);
  });
});
