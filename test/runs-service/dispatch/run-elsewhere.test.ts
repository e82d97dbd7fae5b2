import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startRunsService, temporaryFolder } from '../../support/runs-service.ts';
import { aScheduler } from '../../support/service/run-elsewhere.ts';

const attachment = {
  file_name: 'plan.txt',
  mime_type: 'text/plain',
  data: Buffer.from('the plan').toString('base64'),
};

describe('a run elsewhere', () => {
  it('does what it would do here', async () => {
    const scheduler = aScheduler();
    const secretFile = join(temporaryFolder(), 'key');
    writeFileSync(secretFile, 's3cret-value-of-the-key\n');
    const script = [
      'cat; echo " key: $KEY"; cat "$AGENT_ATTACHMENTS_DIR/plan.txt"; echo',
      'echo three >> notes.txt; echo report > "$AGENT_ARTIFACTS_DIR/report.md"',
      'echo; echo "Done with it."',
    ].join('\n');
    const environment = scheduler.environment(script, { secret_files: { KEY: secretFile } });
    const { begin, until, request, dataDir } = await startRunsService({
      environments: [environment],
    });
    const id = await begin({ prompt: 'Do it.', attachments: [attachment] });
    const run = await until(id, 'SUCCEEDED', 'FAILED');
    expect(run).toMatchObject({ state: 'SUCCEEDED', status_message: { message: 'Done with it.' } });
    const output = readFileSync(join(dataDir, 'transcripts', id, 'output.log'), 'utf8');
    expect(output).toBe('Do it. key: [secret]\nthe plan\n\nDone with it.\n');
    const patch = readFileSync(join(dataDir, 'transcripts', id, 'changes.patch'), 'utf8');
    expect(patch).toContain('+three');
    const files = run.artifacts?.map(({ data }) => (data as { filename?: string }).filename);
    expect(files).toEqual(expect.arrayContaining([expect.stringContaining('report.md')]));
    expect(await (await request(`/agent/runs/${id}`)).json()).toMatchObject({
      agent_progress: { changes: { files: 1 } },
    });
    await expect.poll(() => scheduler.alive()).toEqual([]);
    expect(scheduler.dispatches()).toMatchObject([{ run_id: id, attempt: 1 }]);
    expect(scheduler.log()).not.toContain('s3cret-value');
  });
});
