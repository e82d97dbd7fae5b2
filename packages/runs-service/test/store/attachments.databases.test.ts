import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createRuns } from '../../src/store/runs.ts';
import { describeOnDatabase } from '../support/databases.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

const attached = (file_name: string, bytes: number) => ({
  file_name,
  mime_type: 'text/plain',
  data: randomBytes(bytes).toString('base64'),
});

describeOnDatabase('files that came with a run', (database) => {
  it('are returned as they were sent, whatever their size', async () => {
    const runs = createRuns(database());
    const attachments = [attached('🧪.bin', 700_001), attached('empty', 0), attached('small', 1)];
    const { id } = await runs.create(aServiceRun({ attachments }));
    expect(await runs.attachmentsOf(id)).toEqual(attachments);
    await runs.change(id, ['QUEUED'], { state: 'CANCELLED', ended_at: Date.now() });
    expect(await runs.attachmentsOf(id)).toEqual([]);
  });

  it('are stored in small parts, between which other work continues', async () => {
    const runs = createRuns(database());
    const attachments = [attached('large.bin', 2 * 1024 * 1024)];
    const creating = runs.create(aServiceRun({ attachments }));
    let isCreated = false;
    void creating.then(() => {
      isCreated = true;
    });
    let turns = 0;
    for (; !isCreated; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(turns).toBeGreaterThan(8);
    const parts = await database().selectFrom('service_run_attachments').selectAll().execute();
    for (const { part_json } of parts) expect(part_json.length).toBeLessThan(300_000);
  });

  it('are deleted if their run was never stored, but not while it may be created', async () => {
    const runs = createRuns(database());
    const key = { idempotency_key: 'once', attachments: [attached('notes.txt', 9)] };
    const { id } = await runs.create(aServiceRun(key));
    const startedAt = Date.now();
    await runs.create(aServiceRun(key));
    const owners = async () =>
      (await database().selectFrom('service_run_attachments').select('run_id').execute()).map(
        ({ run_id }) => run_id,
      );
    const before = await owners();
    await runs.deleteLostAttachments(startedAt);
    expect(await owners()).toEqual(before);
    await runs.deleteLostAttachments(Date.now() + 1);
    expect((await owners()).length).toBe(before.length - 1);
    expect(await runs.attachmentsOf(id)).toEqual(key.attachments);
  });
});
