import { expect, it } from 'vitest';
import { createServiceRunQuestions } from '../../../src/store/service/service-run-questions.ts';
import { createServiceRuns } from '../../../src/store/service/service-runs.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { aServiceRun } from '../../support/service-run-builder.ts';

describeOnEveryDatabase('questions of agents', (db) => {
  it('can be stored again, because the reply to a write can be lost', async () => {
    const runs = createServiceRuns(db());
    const { id } = await runs.create(aServiceRun());
    await runs.change(id, ['QUEUED'], { state: 'INPROGRESS', lease: { owner: 'me', forMs: 1e6 } });
    const questions = createServiceRunQuestions(db());
    const ask = (question_id: string, owner = 'me') =>
      questions.ask(owner, {
        ...{ run_id: id, question_id, question_json: '{}', asked_at: 1, expires_at: 2 },
      });
    expect(await ask('first', 'other')).toBe(false);
    expect(await ask('first')).toBe(true);
    expect(await ask('first')).toBe(true);
    expect(await ask('second')).toBe(false);
    expect((await questions.open(id))?.question_id).toBe('first');
  });
});
