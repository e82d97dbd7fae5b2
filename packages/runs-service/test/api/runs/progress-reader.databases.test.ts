import { expect, it } from 'vitest';
import { createProgressReader } from '../../../src/api/runs/run-results.ts';
import { createStores } from '../../../src/store/stores.ts';
import { describeOnDatabase } from '../../support/databases.ts';
import { aServiceRun } from '../../support/service/service-run-builder.ts';

describeOnDatabase('the question of a run', (db) => {
  it('is read with the state that it causes, before anything else is saved', async () => {
    const stores = createStores(db());
    const { runs, questions } = stores;
    const { of, briefOf } = createProgressReader(stores);
    const { id } = await runs.create(aServiceRun());
    const lease = { owner: 'me', forMs: 60_000 };
    await runs.change(id, ['QUEUED'], { state: 'INPROGRESS', started_at: 1, lease });
    const question = (name: string) => ({
      run_id: id,
      question_id: name,
      asked_at: Date.now(),
      question_json: JSON.stringify({ id: name, text: name, options: [] }),
    });
    const answer = { answerJson: '{}', note: 'x', key: null };
    const read = async () => {
      const run = await runs.get(id);
      if (!run) throw new Error('The run is gone.');
      return run;
    };

    await questions.ask('me', question('first'));
    const blocked = await read();
    expect(await of(blocked)).toMatchObject({ question: { id: 'first' } });
    expect((await briefOf([blocked])).get(id)).toMatchObject({ question: { id: 'first' } });

    await questions.answer(id, 'first', answer);
    expect(await of(await read())).toBeUndefined();
    // A reader that read the state before the answer gets the question of that time.
    expect(await of(blocked)).toMatchObject({ question: { id: 'first' } });
  });
});
