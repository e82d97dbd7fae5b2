import { Secret } from 'base/encryption/secret';
import { type Run, runSchema } from 'runs-client/contract';
import { nextPollAfterSilence } from '../../../src/following/progress.ts';
import { firstRow, knownRun } from '../../../src/store/requests/request-row.ts';
import type { Db } from '../../../src/store/schema.ts';
import { aRequest } from '../builders.ts';

const rowsAtOnce = 500;
const hourMs = 3_600_000;

/** Adds requests that follow these runs, as after a sweep. Their accept times are spread over the last `overMs`. */
export async function followRuns(
  db: Db,
  runs: readonly Run[],
  { now = Date.now(), overMs }: { now?: number; overMs: number },
): Promise<void> {
  const rows = runs.map((run, index) => {
    // Keep the first request young for an hour, because a young request makes a sweep due every second.
    const ageMs = index === 0 ? -hourMs : Math.round((index / runs.length) * overMs);
    const acceptedAt = now - ageMs;
    const request = aRequest({ id: `request-of-${run.run_id}`, acceptedAt, run });
    const dueAt = nextPollAfterSilence(request, run, now);
    return {
      ...firstRow({ ...request, prompt: run.prompt }),
      step: 'following',
      run_id: run.run_id,
      run_state: run.state,
      run_json: knownRun(request.id, runSchema.parse(run)),
      next_poll_at: dueAt,
      due_at: dueAt,
    };
  });
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const some = rows.slice(from, from + rowsAtOnce);
    await db.insertInto('requests').values(some).execute();
    const messages = some.map(({ id }, index) => ({
      id,
      request_id: id,
      team_id: 'T1',
      kind: 'run-message',
      content_json: new Secret('content_json', id, '{}'),
      created_at: now,
      state: 'posted',
      shown: 'something else',
      channel_id: 'C1',
      ts: `${from + index}.000100`,
    }));
    await db.insertInto('outbox').values(messages).execute();
  }
}
