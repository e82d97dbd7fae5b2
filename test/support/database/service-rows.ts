import { createArtifactStore } from 'runs-service/store/artifacts';
import { createDispatches } from 'runs-service/store/dispatches';
import { createConversations } from 'runs-service/store/kept-conversations';
import { createPublications } from 'runs-service/store/publications';
import { createRunQuestions } from 'runs-service/store/run-questions';
import { createRuns } from 'runs-service/store/runs';
import { createSchedules } from 'runs-service/store/schedules';
import type { Db } from 'runs-service/store/schema';
import { aSchedule } from '../../../packages/runs-service/test/api/schedules/schedule-bed.ts';
import { aServiceRun } from '../../../packages/runs-service/test/support/service/service-run-builder.ts';

/** Adds one row of every kind that the runs service encrypts. Each contains this secret. */
export async function fillService(db: Db, secret: string): Promise<void> {
  const { id } = await createRuns(db).create(aServiceRun({ idempotency_key: 'asking' }));
  await createRuns(db).change(id, ['QUEUED'], { state: 'INPROGRESS', note: secret });
  await db.updateTable('service_runs').set({ lease_owner: 'me' }).where('id', '=', id).execute();
  const questions = createRunQuestions(db);
  const question = { run_id: id, question_id: 'q', question_json: JSON.stringify(secret) };
  await questions.ask('me', { ...question, asked_at: 1 });
  const answer = { answerJson: JSON.stringify(secret), note: secret, key: null };
  if (!(await questions.answer(id, 'q', answer))) throw new Error('not answered');
  await createConversations(db).save({
    id: 'c',
    environment_id: 'e',
    work_name: 'w',
    session_id: null,
    file_name: 'f',
    file_key: secret,
    saved_at: 1,
  });
  await createArtifactStore(db).replace(id, 'me', [
    { uid: 'a', runId: id, number: 0, artifactType: 'PLAN', data: { text: secret }, createdAt: 1 },
  ]);
  const dispatches = createDispatches(db);
  for (const runId of ['waiting', 'ended'])
    await dispatches.begin(runId, 1, {
      token: secret,
      tokenHash: 'hash',
      modelTokenHash: 'hash for models',
    });
  await dispatches.claim('ended', 'hash', 'worker');
  await dispatches.end('ended', 'worker', JSON.stringify(secret));
  await createSchedules(db).create(aSchedule({ request: { prompt: secret, metadata: {} } }));
  const publications = createPublications(db);
  const run = { id, conversation_id: 'c' };
  await publications.ask({ run, branch: 'b', wanted: { title: secret } });
  const [claimed] = await publications.claim('me', 1_000, 1);
  if (!claimed) throw new Error('nothing to publish');
  await publications.record(claimed, { problem: secret, remark: secret });
}
