import { Secret } from 'base/encryption/secret';
import { expect, it } from 'vitest';
import { createRunQuestions } from '../../src/store/run-questions.ts';
import { createRuns } from '../../src/store/runs.ts';
import { describeOnDatabase } from '../support/databases.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

describeOnDatabase('questions of agents', (db) => {
  it('can be stored again, because the reply to a write can be lost', async () => {
    const runs = createRuns(db());
    const { id } = await runs.create(aServiceRun());
    await runs.change(id, ['QUEUED'], { state: 'INPROGRESS', lease: { owner: 'me', forMs: 1e6 } });
    const questions = createRunQuestions(db());
    const ask = (question_id: string, owner = 'me') =>
      questions.ask(owner, {
        run_id: id,
        question_id,
        question_json: '{}',
        asked_at: 1,
      });
    expect(await ask('first', 'other')).toBe('rejected');
    expect(await ask('first')).toBe('asked');
    expect(await ask('first')).toBe('asked');
    expect(await ask('second')).toBe('rejected');
    expect((await questions.open(id))?.question_id).toBe('first');
  });

  it('stay open when a late request closes the one before', async () => {
    const runs = createRuns(db());
    const { id } = await runs.create(aServiceRun());
    await runs.change(id, ['QUEUED'], { state: 'INPROGRESS', lease: { owner: 'me', forMs: 1e6 } });
    const questions = createRunQuestions(db());
    const ask = (question_id: string, asked_at: number) =>
      questions.ask('me', {
        run_id: id,
        question_id,
        question_json: '{}',
        asked_at,
      });
    await ask('first', 1);
    expect(await questions.expire(id, 'first', 'closed')).toBe(true);
    await ask('second', 2);
    expect(await questions.expire(id, 'first', 'closed')).toBe(false);
    expect((await questions.open(id))?.question_id).toBe('second');
    expect((await runs.get(id))?.state).toBe('BLOCKED');
    expect(await questions.expire(id, 'second', 'closed')).toBe(true);
    expect((await runs.get(id))?.state).toBe('INPROGRESS');
  });

  it('are after earlier ones, even if the clock was set back', async () => {
    const runs = createRuns(db());
    const { id } = await runs.create(aServiceRun());
    await runs.change(id, ['QUEUED'], { state: 'INPROGRESS', lease: { owner: 'me', forMs: 1e6 } });
    const questions = createRunQuestions(db());
    const ask = (question_id: string, asked_at: number) =>
      questions.ask('me', { run_id: id, question_id, question_json: '{}', asked_at });
    await ask('first', 90_000);
    await questions.expire(id, 'first', 'closed');
    await ask('second', 1_000);
    const [last] = await questions.lastOf([id]);
    expect(last?.question_id).toBe('second');
  });

  it('of one run take a bounded space', async () => {
    const runs = createRuns(db());
    const { id } = await runs.create(aServiceRun());
    await runs.change(id, ['QUEUED'], { state: 'INPROGRESS', lease: { owner: 'me', forMs: 1e6 } });
    const questions = createRunQuestions(db());
    const ask = async (question_id: string, characters: number) => {
      const question_json = JSON.stringify('x'.repeat(characters));
      const asked = await questions.ask('me', {
        run_id: id,
        question_id,
        question_json,
        asked_at: 1,
      });
      await questions.expire(id, question_id, 'closed');
      return asked;
    };
    expect(await ask('first', 8_000_000)).toBe('asked');
    expect(await ask('second', 8_000_000)).toBe('asked');
    expect(await ask('third', 1)).toBe('rejected');
    expect((await runs.get(id))?.state).toBe('INPROGRESS');
  });

  it('are a thousand of one run at most', async () => {
    const runs = createRuns(db());
    const { id } = await runs.create(aServiceRun());
    await runs.change(id, ['QUEUED'], { state: 'INPROGRESS', lease: { owner: 'me', forMs: 1e6 } });
    const questions = createRunQuestions(db());
    const row = (question_id: string) => ({
      run_id: id,
      question_id,
      question_json: '{}',
      asked_at: 1,
    });
    expect(await questions.ask('me', row('first'))).toBe('asked');
    await questions.expire(id, 'first', 'closed');
    const asked = Array.from({ length: 998 }, (_, n) => ({
      ...row(`q${n}`),
      question_json: new Secret('question_json', `q${n}`, '{}'),
      closed_at: 1,
      answer_json: null,
      answer_key: null,
    }));
    for (let at = 0; at < asked.length; at += 100)
      await db()
        .insertInto('service_run_questions')
        .values(asked.slice(at, at + 100))
        .execute();
    expect(await questions.ask('me', row('last'))).toBe('asked');
    await questions.expire(id, 'last', 'closed');
    expect(await questions.ask('me', row('too many'))).toBe('rejected');
    expect(await questions.ask('me', row('last'))).toBe('asked');
  });
});
