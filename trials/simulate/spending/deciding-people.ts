import { createRunQuestions } from 'runs-service/store/run-questions';
import { readSpendRequest } from 'runs-service/store/spend-request';
import type { Scheduler } from '../scheduler.ts';
import type { SpendingDatabase } from './spending-database.ts';
import type { Click } from './spending-plan.ts';

/** An answer that the service accepted. */
export type Decision = { runId: string; key: string; amountMicros: number; option: string };

const lookEveryMs = 400;

/** Simulates people who see questions about spending and click, several of them at the same time. */
export function createDecidingPeople(
  {
    scheduler,
    database,
    log,
  }: { scheduler: Scheduler; database: SpendingDatabase; log(line: string): void },
  clicks: readonly Click[][],
) {
  const questions = createRunQuestions(database.open());
  const decisions: Decision[] = [];
  const seen = new Set<string>();
  const open = `select q.run_id, q.question_id, q.spend_json from service_run_questions q
    join service_runs r on r.id = q.run_id
    where q.closed_at is null and q.spend_json is not null and r.state = 'BLOCKED'`;

  async function click(
    runId: string,
    questionId: string,
    json: string,
    option: string,
    key: string,
  ) {
    const { cap, amountMicros } = readSpendRequest(json);
    const answerJson = JSON.stringify({ option_id: option });
    const isFirst = await questions.answer(runId, questionId, { answerJson, note: option, key });
    log(`someone clicks ${option} for ${runId}${isFirst ? '' : ', too late'}`);
    if (isFirst) decisions.push({ runId, key: cap.key, amountMicros, option });
  }

  function look(): void {
    for (const row of database.rows(open)) {
      const [runId, id, json] = [row['run_id'], row['question_id'], row['spend_json']].map(String);
      if (runId === undefined || id === undefined || json === undefined || seen.has(id)) continue;
      log(`${runId} asks: ${readSpendRequest(json).reached}`);
      for (const [index, { afterMs, option }] of (clicks[seen.size] ?? []).entries())
        scheduler.in(
          afterMs,
          undefined,
          () => void click(runId, id, json, option, `${id} ${index}`),
        );
      seen.add(id);
    }
    scheduler.in(lookEveryMs, undefined, look);
  }
  return { decisions, start: look };
}
