import { expect, it } from 'vitest';
import { reportAnswerSchema } from '../../../src/remote/protocol.ts';
import { createRunQuestions } from '../../../src/store/run-questions.ts';
import { aReport, twoRuns } from './two-runs.ts';

const nothing = { is_held: false, is_stopped: false };

async function oneRun() {
  const { ids, call, db } = await twoRuns();
  const [id = ''] = ids;
  const report = async (spending: object | undefined, wait_seconds = 0) => {
    const body = aReport({ wait_seconds, ...(spending && { spending }) });
    return reportAnswerSchema.parse(await (await call(id, '/report', { body })).json()).spending;
  };
  const questions = createRunQuestions(db);
  const ask = (kind?: string) =>
    questions.ask(undefined, {
      run_id: id,
      question_id: 'q',
      question_json: JSON.stringify({ id: 'q', text: 'More?', options: [], ...(kind && { kind }) }),
      asked_at: Date.now(),
    });
  return { id, db, call, report, questions, ask };
}

it('a report learns at once that calls wait for a person, and that they no longer do', async () => {
  const { id, report, questions, ask } = await oneRun();
  expect(await report(undefined)).toBeUndefined();
  expect(await report(nothing)).toEqual({ is_held: false });
  const held = report(nothing, 30);
  await ask('spend');
  expect(await held).toEqual({ is_held: true });
  expect(await report(nothing, 30)).toEqual({ is_held: true });
  const released = report({ is_held: true, is_stopped: false }, 30);
  await questions.expire(id, 'q', 'More was allowed');
  expect(await released).toEqual({ is_held: false });
});

it("a report doesn't take an agent's own question for one about spending", async () => {
  const { report, ask } = await oneRun();
  await ask();
  expect(await report(nothing)).toEqual({ is_held: false });
});

it('a report learns why the run has to end, and then waits again', async () => {
  const { id, db, report } = await oneRun();
  const why = 'This run has spent $5.00 of $5.00.';
  await db.updateTable('service_runs').set({ spend_stopped: why }).where('id', '=', id).execute();
  expect(await report(nothing, 30)).toEqual({ is_held: false, stopped: why });
  expect(await report({ is_held: false, is_stopped: true }, 0.1)).toMatchObject({ stopped: why });
});

it('an agent cannot ask about spending in the name of the service', async () => {
  const { id, call } = await oneRun();
  const question = { id: 'mine', text: 'Allow $500 more?', options: [] };
  const ask = (more: object) =>
    call(id, '/questions', { body: JSON.stringify({ question: { ...question, ...more } }) });
  expect((await ask({ kind: 'spend' })).status).toBe(400);
  expect((await ask({})).status).toBe(200);
});
