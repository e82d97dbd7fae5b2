import { expect, it } from 'vitest';
import { createFollowups } from '../../src/store/followups.ts';
import { activeStates, createRuns } from '../../src/store/runs.ts';
import { describeOnDatabase } from '../support/databases.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

describeOnDatabase('follow-ups', (db) => {
  it('are neither taken nor rejected for a process that lost the run', async () => {
    const runs = createRuns(db());
    const followups = createFollowups(db());
    const { id } = await runs.create(aServiceRun());
    await runs.change(id, ['QUEUED'], { state: 'INPROGRESS', lease: { owner: 'me', forMs: 1e6 } });
    const add = (message: string) => followups.add(id, activeStates, { message, key: null });
    expect(await followups.takeOrClose(id, 0, 'lost it')).toBeUndefined();
    expect(await add('one')).toBe(true);
    expect(await followups.takeOrClose(id, 0, 'lost it')).toBeUndefined();
    expect(await followups.takeOrClose(id, 0, 'me')).toEqual({ number: 1, message: 'one' });
    expect(await followups.takeOrClose(id, 1, 'me')).toBeUndefined();
    expect(await add('two')).toBe(false);
  });
});
