import { expect, it } from 'vitest';
import { createRunQuestions } from '../../src/store/run-questions.ts';
import { createRuns } from '../../src/store/runs.ts';
import type { Db } from '../../src/store/schema.ts';
import { createSpendQuestions } from '../../src/store/spend-questions.ts';
import type { SpendRequest } from '../../src/store/spend-request.ts';
import { describeOnDatabase } from '../support/databases.ts';
import { aCapState } from '../support/service/cap-builder.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';
import { allowedOf, useUpCap } from '../support/service/used-up-cap.ts';

const requestOf = (runId: string, more: Partial<SpendRequest['cap']> = {}): SpendRequest => ({
  cap: { ...aCapState({}).cap, key: `run:${runId}`, ...more },
  period: 'run',
  amountMicros: 5_000_000,
  expiresAt: 1,
  reached: 'This run has spent $5.00 of $5.00.',
});

async function begin(db: Db) {
  const runs = createRuns(db);
  const { id } = await runs.create(aServiceRun());
  await runs.change(id, ['QUEUED'], { state: 'INPROGRESS', lease: { owner: 'me', forMs: 1e6 } });
  await useUpCap(db, id);
  const spend = createSpendQuestions(db);
  const questions = createRunQuestions(db);
  const ask = (questionId: string, request = requestOf(id)) =>
    spend.ask(id, { id: questionId, json: '{"text":"More?"}', note: 'Reached a cap' }, request);
  const answer = (questionId: string, option: string, key: string | null = null) =>
    questions.answer(id, questionId, {
      answerJson: JSON.stringify({ option_id: option }),
      note: `Ada answered: ${option}`,
      key,
    });
  const listOpen = async () => (await spend.listOpen()).filter(({ run_id }) => run_id === id);
  return { id, runs, spend, questions, ask, answer, listOpen, read: () => runs.get(id) };
}

describeOnDatabase('questions about spending', (db) => {
  it('are one for all calls of a run, and block it', async () => {
    const run = await begin(db());
    const asked = await Promise.all([run.ask('a'), run.ask('b'), run.ask('c')]);
    const ids = new Set(asked.map((each) => 'questionId' in each && each.questionId));
    expect(ids.size).toBe(1);
    expect((await run.read())?.state).toBe('BLOCKED');
    expect(await run.listOpen()).toMatchObject([{ question_id: [...ids][0], period: 'run' }]);
  });

  it('allow the amount exactly once, whoever answers at the same time', async () => {
    const run = await begin(db());
    await run.ask('a');
    const answers = await Promise.all([
      run.answer('a', 'allow'),
      run.answer('a', 'allow'),
      run.answer('a', 'stop'),
      run.spend.stop(run.id, 'a', 'late'),
    ]);
    expect(answers.filter(Boolean)).toHaveLength(1);
    const row = await run.read();
    const allowed = await allowedOf(db(), run.id);
    expect([
      { allowed: 5_000_000, stopped: null },
      { allowed: 0, stopped: 'This run has spent $5.00 of $5.00. It was stopped there.' },
      { allowed: 0, stopped: 'This run has spent $5.00 of $5.00. No one allowed more in time.' },
    ]).toContainEqual({ allowed: allowed.caller, stopped: row?.spend_stopped });
    expect(allowed.operator).toBe(0);
    expect(row?.state).toBe('INPROGRESS');
    expect(await run.answer('a', 'allow')).toBe(false);
  });

  it("raise only the caps of the one who set them, because a caller can't raise the operator's", async () => {
    const run = await begin(db());
    await run.ask('a', requestOf(run.id, { setBy: 'operator' }));
    await run.answer('a', 'allow');
    expect(await allowedOf(db(), run.id)).toEqual({ operator: 5_000_000, caller: 0 });
  });

  it('stop a run for good', async () => {
    const run = await begin(db());
    await run.ask('a');
    await run.answer('a', 'stop');
    const message = 'This run has spent $5.00 of $5.00. It was stopped there.';
    expect(await run.ask('b')).toEqual({ outcome: 'stopped', message });
    expect((await run.read())?.state).toBe('INPROGRESS');
    expect(await allowedOf(db(), run.id)).toEqual({ operator: 0, caller: 0 });
  });

  it('wait for the question of the agent, and let it wait for them', async () => {
    const run = await begin(db());
    const row = { run_id: run.id, question_json: '{}', asked_at: 1 };
    await run.questions.ask('me', { ...row, question_id: 'own' });
    expect(await run.ask('a')).toEqual({ outcome: 'busy' });
    await run.questions.expire(run.id, 'own', 'closed');
    expect(await run.ask('a')).toEqual({ outcome: 'asked', questionId: 'a' });
    expect(await run.questions.ask('me', { ...row, question_id: 'next' })).toBe('busy');
    expect(await run.questions.expire(run.id, 'a', 'closed by the agent')).toBe(false);
    await run.answer('a', 'allow');
    expect(await run.questions.ask('me', { ...row, question_id: 'next' })).toBe('asked');
  });

  it('that a restart interrupted are closed, and the next has its own cap and deadline', async () => {
    const run = await begin(db());
    await run.ask('a');
    await run.runs.change(run.id, ['BLOCKED'], { state: 'INPROGRESS', note: 'Restarted' });
    expect(await run.listOpen()).toEqual([]);
    expect(await run.answer('a', 'allow')).toBe(false);
    const request = { ...requestOf(run.id, { setBy: 'operator' }), expiresAt: 2 };
    const asked = await Promise.all([run.ask('b', request), run.ask('c', request)]);
    const [id] = asked.flatMap((each) => ('questionId' in each ? [each.questionId] : []));
    expect(['b', 'c']).toContain(id);
    expect(asked).toEqual(Array(2).fill({ outcome: 'asked', questionId: id }));
    expect(await run.listOpen()).toMatchObject([
      { question_id: id, expiresAt: 2, cap: { setBy: 'operator' } },
    ]);
    expect(await run.answer('a', 'allow')).toBe(false);
    expect(await run.answer(id ?? '', 'allow')).toBe(true);
    expect(await allowedOf(db(), run.id)).toEqual({ operator: 5_000_000, caller: 0 });
    expect((await run.questions.get(run.id, 'a'))?.answer_json).toBeNull();
  });

  it('end with their run', async () => {
    const run = await begin(db());
    await run.ask('a');
    await run.runs.change(run.id, ['BLOCKED'], { state: 'CANCELLED', ended_at: Date.now() });
    expect(await run.listOpen()).toEqual([]);
    expect(await run.spend.stop(run.id, 'a', 'late')).toBe(false);
    expect(await run.answer('a', 'allow')).toBe(false);
    expect(await run.ask('b')).toEqual({ outcome: 'ended' });
    expect((await run.read())?.spend_stopped).toBeNull();
  });
});
