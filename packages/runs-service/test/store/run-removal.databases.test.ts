import { isPostgres } from 'base/database/clock';
import { type Kysely, sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { tablesWith } from '../../../base/test/support/tables-with.ts';
import { createArtifactStore } from '../../src/store/artifacts.ts';
import { createConversations, memoryId } from '../../src/store/kept-conversations.ts';
import { createRunRemoval } from '../../src/store/run-removal.ts';
import { createRuns } from '../../src/store/runs.ts';
import { describeOnDatabase } from '../support/databases.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

/** Tables with rows of a run that aren't deleted with it. */
const others = ['service_publications', 'service_model_calls', 'requests'];

describeOnDatabase('the removal of runs', (db) => {
  const runs = () => createRuns(db());
  const removal = () => createRunRemoval(db());
  const conversations = () => createConversations(db());
  const memory = memoryId('talk', 'demo');

  async function addRun(state: string, more: Parameters<typeof aServiceRun>[0] = {}) {
    const run = aServiceRun({ conversationId: 'talk', metadata: { team: 'T1' }, ...more });
    const { id } = await runs().create(run);
    const ended_at = state === 'SUCCEEDED' ? 1 : null;
    await runs().change(id, ['QUEUED'], { state, ended_at, note: 'x' });
    return id;
  }

  beforeEach(async () => {
    for (const table of ['service_runs', 'service_conversations'] as const)
      await db().deleteFrom(table).execute();
  });

  it('leaves no row of a run in any table', async () => {
    const id = await addRun('INPROGRESS');
    await db().updateTable('service_runs').set({ lease_owner: 'me' }).execute();
    const file = { contentName: 'c'.repeat(64), key: 'k', bytes: 1, contentType: 'x/y', path: 'a' };
    const artifact = { uid: 'a1', runId: id, number: 0, createdAt: 1 };
    await createArtifactStore(db()).replace(id, 'me', [
      { ...artifact, artifactType: 'FILE', data: { file } },
    ]);
    await runs().change(id, ['INPROGRESS'], { state: 'SUCCEEDED', ended_at: 5 });

    expect(await removal().remove([id])).toEqual({
      runIds: [id],
      contentNames: [file.contentName],
    });
    const tables = await tablesWith(db(), 'run_id');
    expect(tables.length).toBeGreaterThan(7);
    for (const table of tables.filter((name) => !others.includes(name))) {
      const found = sql`select run_id from ${sql.table(table)} where run_id = ${id}`;
      expect([table, (await found.execute(db())).rows]).toEqual([table, []]);
    }
    expect(await runs().get(id)).toBeUndefined();
    expect(await removal().remove([id])).toEqual({ runIds: [], contentNames: [] });
  });

  it('keeps runs that continue, and finds the others by age and creator', async () => {
    const active = await addRun('INPROGRESS');
    const ended = await addRun('SUCCEEDED', { creator_uid: 'grace' });
    expect(await removal().unchangedSince(Date.now() + 60_000, 10)).toEqual([ended]);
    expect(await removal().unchangedSince(1_000, 10)).toEqual([]);
    expect(await removal().ofCreator('ada', 10)).toEqual([]);
    expect(await removal().ofCreator('grace', 10)).toEqual([ended]);
    expect((await removal().remove([active, ended])).runIds).toEqual([ended]);
    expect(await runs().get(active)).toMatchObject({ state: 'INPROGRESS' });
  });

  it('forgets a conversation with its last run', async () => {
    const [first, second] = [await addRun('SUCCEEDED'), await addRun('SUCCEEDED')];
    await conversations().save({
      id: memory,
      environment_id: 'demo',
      work_name: 'w',
      session_id: null,
      file_name: 'f',
      file_key: 'k',
      saved_at: 1,
    });
    await removal().remove([first]);
    expect(await conversations().get(memory)).toBeDefined();
    await removal().remove([second]);
    expect(await conversations().get(memory)).toBeUndefined();
  });

  it('takes the words out of the search', async () => {
    const id = await addRun('SUCCEEDED', { prompt: 'a forgettable walrus' });
    await removal().remove([id]);
    // The removed run was the newest, so its number is used again.
    await addRun('SUCCEEDED', { prompt: 'something else' });
    if (isPostgres(db())) return;
    const found = sql`select rowid from service_run_texts where service_run_texts match '"walrus"'`;
    expect((await found.execute(db() as Kysely<unknown>)).rows).toEqual([]);
  });
});
