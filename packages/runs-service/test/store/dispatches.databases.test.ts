import { expect, it } from 'vitest';
import { createDispatches } from '../../src/store/dispatches.ts';
import { createRunLeases } from '../../src/store/run-leases.ts';
import { createRuns } from '../../src/store/runs.ts';
import { describeOnDatabase } from '../support/databases.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

describeOnDatabase('dispatches of remote runs', (db) => {
  const parts = () => ({
    runs: createRuns(db()),
    dispatches: createDispatches(db()),
  });

  async function activeRun() {
    const { runs, dispatches } = parts();
    const { id } = await runs.create(aServiceRun());
    await runs.change(id, ['QUEUED'], { state: 'INPROGRESS', lease: { owner: 'me', forMs: 1e6 } });
    const row = async () => (await dispatches.of([id]))[0];
    return { id, row, runs, dispatches };
  }

  it('belong to the first process that comes with the token', async () => {
    const { id, row, dispatches } = await activeRun();
    await dispatches.begin(id, 1, {
      token: 'secret',
      tokenHash: 'hash',
      modelTokenHash: 'hash for models',
    });
    await dispatches.begin(id, 1, {
      token: 'other',
      tokenHash: 'other hash',
      modelTokenHash: 'other hash for models',
    });
    expect(await row()).toMatchObject({ attempt: 1, token: 'secret', token_hash: 'hash' });
    const claims = ['a', 'b', 'c'].map((worker) => dispatches.claim(id, 'hash', worker));
    expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
    const worker = (await row())?.worker ?? '';
    expect(await dispatches.claim(id, 'hash', worker)).toBe(true);
    expect(await dispatches.claim(id, 'other hash', worker)).toBe(false);
    expect(await row()).toMatchObject({ token: null });
  });

  it('have each event once, however often it comes', async () => {
    const { id, runs, dispatches } = await activeRun();
    await dispatches.begin(id, 1, {
      token: 'secret',
      tokenHash: 'hash',
      modelTokenHash: 'hash for models',
    });
    await dispatches.claim(id, 'hash', 'a');
    const apply = (number: number, worker = 'a') =>
      dispatches.apply(id, worker, { number, update: { note: `event ${number}` } });
    expect(await apply(1)).toBe(false);
    const applied = await Promise.all([apply(0), apply(0), apply(0, 'b')]);
    expect(applied.filter(Boolean)).toHaveLength(1);
    expect(await apply(1)).toBe(true);
    const notes = (await runs.changesOf(id)).map(({ note }) => note).filter(Boolean);
    expect(notes).toEqual(['event 0', 'event 1']);
  });

  it('end once, and a later attempt shuts out the one before', async () => {
    const { id, row, dispatches } = await activeRun();
    await dispatches.begin(id, 1, {
      token: 'secret',
      tokenHash: 'hash',
      modelTokenHash: 'hash for models',
    });
    await dispatches.claim(id, 'hash', 'a');
    await dispatches.begin(id, 2, {
      token: 'second',
      tokenHash: 'second hash',
      modelTokenHash: 'second hash for models',
    });
    expect(await dispatches.claim(id, 'hash', 'a')).toBe(false);
    await dispatches.end(id, 'a', '{"late":1}');
    expect(await row()).toMatchObject({ attempt: 2, worker: null, end_json: null });
    await dispatches.claim(id, 'second hash', 'b');
    await dispatches.end(id, 'b', '{"first":1}');
    await dispatches.end(id, 'b', '{"second":1}');
    await dispatches.begin(id, 3, {
      token: 'third',
      tokenHash: 'third hash',
      modelTokenHash: 'third hash for models',
    });
    expect(await row()).toMatchObject({ attempt: 2, end_json: '{"first":1}' });
    const third = {
      token: 'third',
      tokenHash: 'third hash',
      modelTokenHash: 'third hash for models',
      isStopped: true,
    };
    await dispatches.begin(id, 3, third);
    expect(await row()).toMatchObject({ attempt: 3, end_json: null });
  });

  it('find their run by the model token of a process at work, and only of the current attempt', async () => {
    const { id, runs, dispatches } = await activeRun();
    const found = (hash: string) => dispatches.runOfModelToken(hash);
    const attempt = (name: string) => ({
      token: name,
      tokenHash: `${name} hash`,
      modelTokenHash: `${name} model`,
    });
    await dispatches.begin(id, 1, attempt('first'));
    expect(await found('first model')).toBeUndefined();
    await dispatches.claim(id, 'first hash', 'a');
    expect(await found('first model')).toBe(id);
    await runs.change(id, ['INPROGRESS'], { state: 'BLOCKED' });
    expect(await found('first model')).toBe(id);
    for (const other of ['', 'first', 'first hash']) expect(await found(other)).toBeUndefined();
    await dispatches.begin(id, 2, attempt('second'));
    expect(await found('first model')).toBeUndefined();
    expect(await found('second model')).toBeUndefined();
    await dispatches.claim(id, 'second hash', 'b');
    expect(await found('second model')).toBe(id);
    await dispatches.end(id, 'b', '{}');
    expect(await found('second model')).toBeUndefined();
  });

  it('lose their model token with the end of the run', async () => {
    const { id, runs, dispatches } = await activeRun();
    await dispatches.begin(id, 1, { token: 't', tokenHash: 'hash', modelTokenHash: 'model' });
    await dispatches.claim(id, 'hash', 'a');
    expect(await dispatches.runOfModelToken('model')).toBe(id);
    await runs.change(id, ['INPROGRESS'], {
      state: 'CANCELLED',
      ended_at: Date.now(),
      lease: null,
    });
    expect(await dispatches.runOfModelToken('model')).toBeUndefined();
  });

  it('are adopted once after their service released them, and keep their state', async () => {
    const { id, runs } = await activeRun();
    const leases = createRunLeases(db());
    await runs.change(id, ['INPROGRESS'], { state: 'BLOCKED' });
    expect(await leases.adopt(id, { owner: 'b', forMs: 1e6 })).toBeUndefined();
    await leases.release(id, 'me');
    const both = ['b', 'c'].map((owner) => leases.adopt(id, { owner, forMs: 1e6 }));
    const adopted = (await Promise.all(both)).filter((run) => run !== undefined);
    expect(adopted).toHaveLength(1);
    expect(adopted[0]).toMatchObject({ state: 'BLOCKED', restarts: 0 });
  });
});
