import { createLogger } from 'base/logger';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHold } from '../../src/gateway/hold.ts';
import { createSpendQuestionWatch } from '../../src/gateway/spend-question-watch.ts';
import { createRunQuestions } from '../../src/store/run-questions.ts';
import { createRuns } from '../../src/store/runs.ts';
import type { Db } from '../../src/store/schema.ts';
import type { CapState } from '../../src/store/spend-cap.ts';
import { createSpendQuestions } from '../../src/store/spend-questions.ts';
import { createSqliteDatabase, openTestDatabase } from '../support/databases.ts';
import { temporaryFolder } from '../support/runs-service.ts';
import { aCapState } from '../support/service/cap-builder.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';
import { allowedOf, useUpCap } from '../support/service/used-up-cap.ts';

const logger = createLogger('silent');

async function openDatabase(): Promise<Db> {
  const db = await openTestDatabase(await createSqliteDatabase(temporaryFolder()));
  onTestFinished(() => db.destroy());
  return db;
}

/** Creates a run in progress that has used up its cap of $5.00, and a gateway process that holds its calls. */
async function startHeldRun({ questionMs }: { questionMs?: number } = {}) {
  const db = await openDatabase();
  const runs = createRuns(db);
  const { id } = await runs.create(aServiceRun());
  await runs.change(id, ['QUEUED'], { state: 'INPROGRESS', lease: { owner: 'me', forMs: 1e6 } });
  await useUpCap(db, id);
  const questions = createSpendQuestions(db);
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const stopped: string[] = [];
  const run = { runId: id, onStopped: (text: string) => stopped.push(text), signal: ending.signal };
  const state = aCapState({ cap: { key: `run:${id}` }, spent: 5_000_000 });
  const held: string[] = [];
  /** Holds a call in a process of the gateway, by default a new one. */
  const call = ({
    hold = createHold({ questions, questionMs, logger }),
    signal = new AbortController().signal,
  } = {}) =>
    hold({
      run,
      state,
      signal,
      onHeld: () => held.push('held'),
      onReleased: () => held.push('released'),
    });
  const openQuestion = async () => {
    await expect.poll(() => createRunQuestions(db).open(id)).toBeDefined();
    const row = await createRunQuestions(db).open(id);
    return JSON.parse(row?.question_json ?? '');
  };
  const answer = async (option: string) => {
    const { id: questionId } = await openQuestion();
    const answerJson = JSON.stringify({ option_id: option });
    return createRunQuestions(db).answer(id, questionId, { answerJson, note: option, key: null });
  };
  const watch = (current: CapState = state) => {
    const loop = createSpendQuestionWatch({ questions, statesOf: async () => [current], logger });
    loop.start();
    onTestFinished(() => loop.stop());
  };
  return {
    db,
    id,
    runs,
    questions,
    stopped,
    held,
    call,
    state,
    openQuestion,
    answer,
    watch,
    ending,
  };
}

describe('a call at a cap', () => {
  it('waits for a person who allows more, together with all other calls of its run', async () => {
    const run = await startHeldRun();
    const hold = createHold({ questions: run.questions, logger });
    const calls = [run.call({ hold }), run.call({ hold }), run.call()];
    expect(await run.openQuestion()).toMatchObject({
      kind: 'spend',
      text: 'This run has spent $5.00 of $5.00.\nIf you allow $5.00 more, it continues. Otherwise, it ends here.',
      options: [
        { id: 'allow', label: 'Allow $5.00 more' },
        { id: 'stop', label: 'Stop here' },
      ],
      takes_text: false,
    });
    await expect.poll(() => run.held).toEqual(['held', 'held', 'held']);
    expect(await run.answer('allow')).toBe(true);
    expect(await Promise.all(calls)).toEqual(Array(3).fill({ outcome: 'allowed' }));
    expect(run.held.slice(3)).toEqual(['released', 'released', 'released']);
    expect(await allowedOf(run.db, run.id)).toEqual({ operator: 0, caller: 5_000_000 });
    const changes = await run.runs.changesOf(run.id);
    expect(changes.filter(({ state }) => state === 'BLOCKED')).toHaveLength(1);
  });

  it('is rejected after a stop, and so are later calls', async () => {
    const run = await startHeldRun();
    const call = run.call();
    await run.answer('stop');
    const message = 'This run has spent $5.00 of $5.00. It was stopped there.';
    expect(await call).toEqual({ outcome: 'stopped', message });
    expect(await run.call()).toEqual({ outcome: 'stopped', message });
    expect(run.stopped).toEqual([message, message]);
  });

  it('keeps its question when the agent disconnects, and still ends the run after a stop', async () => {
    const run = await startHeldRun();
    const hangUp = new AbortController();
    const call = run.call({ signal: hangUp.signal });
    const { id } = await run.openQuestion();
    hangUp.abort();
    expect(await call).toEqual({ outcome: 'gone' });
    expect((await run.openQuestion()).id).toBe(id);
    await run.answer('stop');
    await expect.poll(() => run.stopped).toHaveLength(1);
  });

  it('joins the question that a killed process asked', async () => {
    const run = await startHeldRun();
    void run.call();
    const { id } = await run.openQuestion();
    // A new gateway knows nothing but the store, as after kill -9.
    const again = run.call();
    expect((await run.openQuestion()).id).toBe(id);
    await run.answer('allow');
    expect(await again).toEqual({ outcome: 'allowed' });
  });

  it('asks a new question after a restart of the run', async () => {
    const run = await startHeldRun();
    const before = run.call();
    const { id } = await run.openQuestion();
    await run.runs.change(run.id, ['BLOCKED'], { state: 'INPROGRESS' });
    expect(await before).toEqual({ outcome: 'allowed' });
    const after = run.call();
    expect((await run.openQuestion()).id).not.toBe(id);
    await run.answer('allow');
    expect(await after).toEqual({ outcome: 'allowed' });
  });

  it('is rejected at the deadline, although the process that asked was killed', async () => {
    const run = await startHeldRun({ questionMs: 1 });
    void run.call();
    await run.openQuestion();
    run.watch();
    const message = 'This run has spent $5.00 of $5.00. No one allowed more in time.';
    expect(await run.call()).toEqual({ outcome: 'stopped', message });
    expect((await run.runs.changesOf(run.id)).at(-1)?.note).toBe('No one answered in time');
  });

  it('continues without an answer when there is room again', async () => {
    for (const [more, note] of [
      [{ allowed: 1_000_000 }, 'More was allowed, so no answer is needed'],
      [{ spent: 0, period: 'next' }, 'A new period has started, so no answer is needed'],
    ] as const) {
      const run = await startHeldRun();
      const call = run.call();
      await run.openQuestion();
      run.watch({ ...run.state, ...more });
      expect(await call).toEqual({ outcome: 'allowed' });
      expect((await run.runs.changesOf(run.id)).at(-1)?.note).toBe(note);
      expect((await run.runs.get(run.id))?.spend_stopped).toBeNull();
    }
  });

  it('ends with its run', async () => {
    const run = await startHeldRun();
    const call = run.call();
    await run.openQuestion();
    await run.runs.change(run.id, ['BLOCKED'], { state: 'CANCELLED', ended_at: Date.now() });
    expect(await call).toEqual({ outcome: 'gone' });
    expect(await run.call()).toEqual({ outcome: 'gone' });
    expect(run.stopped).toEqual([]);
  });
});
