import { expect, it } from 'vitest';
import { createModelCalls } from '../../src/store/model-calls.ts';
import { createPersonData } from '../../src/store/person-data.ts';
import { createRunRemoval } from '../../src/store/run-removal.ts';
import { createRuns } from '../../src/store/runs.ts';
import { apartKey } from '../../src/store/spend-cap.ts';
import { removeOldSpending } from '../../src/store/spend-removal.ts';
import { describeOnDatabase } from '../support/databases.ts';
import {
  aCall,
  aCap,
  anActiveRun,
  aSettledCall,
  callOwner,
} from '../support/service/model-call-builder.ts';

const dayMs = 24 * 60 * 60_000;

describeOnDatabase('the removal of spending', (db) => {
  const calls = () => createModelCalls(db());

  /** Stores an ended run with a call of ten cents, which started this many days ago. */
  async function spent(person: string, daysAgo = 0) {
    const runId = await anActiveRun(db());
    const workspace = 'T1';
    const call = aCall(runId, {
      labels: { workspace, person, channel: undefined },
      spendKeys: [
        `run:${runId}`,
        `person:${workspace}/${person}`,
        `workspace:${workspace}`,
        apartKey('user me', 'person', person, 'T9'),
        apartKey(`user ${person}`, 'workspace', 'T9'),
      ],
    });
    const cap = aCap({ scope: 'run', key: `run:${runId}`, per: 'run' });
    await calls().reserve(call, [cap]);
    await calls().settle(call.id, callOwner, aSettledCall());
    await createRuns(db()).change(runId, ['INPROGRESS'], { state: 'SUCCEEDED', ended_at: 5 });
    await db()
      .updateTable('service_model_calls')
      .set({ started_at: Date.now() - daysAgo * dayMs })
      .where('id', '=', call.id)
      .execute();
    return runId;
  }
  const remove = (runId: string) => createRunRemoval(db()).remove([runId]);

  it('keeps the calls of deleted runs as long as caps can count them', async () => {
    const old = await spent('U1', 40);
    const recent = await spent('U1', 20);
    const kept = await spent('U1', 40);
    await remove(old);
    await remove(recent);
    const keys = (await db().selectFrom('service_spend').select('key').execute()).map(
      (row) => row.key,
    );
    expect(keys).not.toContain(`run:${old}`);
    expect(keys).toContain(`run:${kept}`);
    expect(await removeOldSpending(db(), Date.now() - 60 * dayMs)).toBe(0);
    expect(await removeOldSpending(db(), Date.now())).toBe(1);
    const left = await Promise.all([old, recent, kept].map((runId) => calls().ofRun(runId)));
    expect(left.map((rows) => rows.length)).toEqual([0, 1, 1]);
  });

  it('forgets a person, but keeps what the workspace spent', async () => {
    const runId = await spent('U2');
    const workspace = aCap({ scope: 'workspace', key: 'workspace:T1' });
    const person = aCap({ key: 'person:T1/U2' });
    const [before] = await calls().statesOf([workspace]);
    const apart = [
      aCap({ key: apartKey('user me', 'person', 'U2', 'T9') }),
      aCap({ key: apartKey('user U2', 'workspace', 'T9') }),
    ];
    for (const cap of [person, ...apart])
      expect(await calls().statesOf([cap])).toMatchObject([{ spent: 100_000 }]);
    // A call with these caps creates their counters.
    await calls().reserve(aCall(await anActiveRun(db())), [person, ...apart]);
    const data = createPersonData(db());
    expect(await data.modelCalls('U2')).toMatchObject([{ team_id: 'T1', price_micros: 100_000 }]);
    await data.remove('U2');
    expect(await data.modelCalls('U2')).toEqual([]);
    expect(await calls().statesOf([workspace, person, ...apart])).toMatchObject([
      { spent: before?.spent },
      { spent: 0 },
      { spent: 0 },
      { spent: 0 },
    ]);
    const counters = await db().selectFrom('service_spend').select('key').execute();
    expect(JSON.stringify(counters)).not.toContain('U2');
    expect(JSON.stringify(await calls().ofRun(runId))).not.toContain('U2');
  });
});
