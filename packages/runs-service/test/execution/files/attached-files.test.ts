import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acpEnvironment } from '../../harnesses/acp/acp-bed.ts';
import { openTestDatabase } from '../../support/databases.ts';
import { shellEnvironment, startRunsService, temporaryFolder } from '../../support/runs-service.ts';

const attached = (file_name: string, text: string, mime_type = 'text/plain') => ({
  file_name,
  mime_type,
  data: Buffer.from(text).toString('base64'),
});

describe('files that come with a run', () => {
  it('are in AGENT_ATTACHMENTS_DIR under safe names, and forgotten at the end', async () => {
    const db = await openTestDatabase('sqlite::memory:');
    const script = 'cd "$AGENT_ATTACHMENTS_DIR"; for f in *; do echo "$f: $(cat "$f")"; done; cat';
    const { create, begin, until, dataDir } = await startRunsService({
      environments: [shellEnvironment(script)],
      db,
      concurrency: 1,
      dataDir: temporaryFolder(),
    });
    const attachments = [
      attached('notes.txt', 'one'),
      attached('notes.txt', 'two'),
      attached('../../evil\n.sh', 'three'),
      attached(`${'a'.repeat(250)}.log`, ''),
    ];
    const stored = () => db.selectFrom('service_run_attachments').selectAll().execute();
    const id = await begin({ prompt: 'read them', attachments });
    const run = await until(id, 'SUCCEEDED', 'FAILED');
    expect(run.status_message?.message.split('\n')).toEqual([
      '2-notes.txt: two',
      '__.._evil .sh: three',
      `${'a'.repeat(56)}.log: `,
      'notes.txt: one',
      'read them',
    ]);
    expect(await stored()).toEqual([]);
    expect(existsSync(join(dataDir, 'work', id))).toBe(false);
    expect((await create({ prompt: 'x', attachments: [] })).status).toBe(200);
  });

  it('are not written where a link of a setup command leads', async () => {
    const outside = temporaryFolder();
    const link = 'ln -s "$0" "$HOME/../input/attachments" && ln -s "$0" "$HOME/../attachments"';
    const environment = shellEnvironment('cat "$AGENT_ATTACHMENTS_DIR/key"', {
      setup: [['sh', '-c', link, outside]],
    });
    const { begin, until } = await startRunsService({ environments: [environment] });
    const attachments = [attached('key', 'of the person')];
    const run = await until(await begin({ prompt: 'x', attachments }), 'SUCCEEDED', 'FAILED');
    expect(readdirSync(outside)).toEqual([]);
    expect(run.status_message?.message).toBe('of the person');
  });

  it('are not part of what an idempotency key is compared with', async () => {
    const { create } = await startRunsService({ environments: [shellEnvironment('true')] });
    const headers = { 'idempotency-key': 'k' };
    const bodies = [{ attachments: [attached('a.txt', 'a')] }, {}];
    const answers = await Promise.all(
      bodies.map((more) => create({ prompt: 'x', ...more }, headers)),
    );
    const ids = await Promise.all(
      answers.map((each) => each.json() as Promise<{ run_id: string }>),
    );
    expect(ids[0]?.run_id).toBe(ids[1]?.run_id);
  });

  it.each([
    ['sees images', true],
    ['', false],
  ])('an agent that "%s" gets images with its prompt: %s', async (manner, sees) => {
    const service = await startRunsService({ environments: [acpEnvironment(manner)] });
    const prompt = JSON.stringify([{ write: 'x', to: 'x.txt' }]);
    const attachments = [attached('a.png', 'png', 'image/png'), attached('b.txt', 'text')];
    const run = await service.until(
      await service.begin({ prompt, attachments }),
      'SUCCEEDED',
      'FAILED',
    );
    expect(run.state, run.status_message?.message).toBe('SUCCEEDED');
    const patch = await (await fetch(`${run.session_link}/changes.patch`)).text();
    expect(patch).toContain('Files that came with this request:');
    expect(patch).toMatch(/attachments\/b\.txt/);
    const images = JSON.stringify([{ type: 'image', data: 'cG5n', mimeType: 'image/png' }]);
    expect(patch.includes('images.json')).toBe(sees);
    if (sees)
      expect(JSON.parse(/^\+(\[\{.*"image.*)$/m.exec(patch)?.[1] ?? '')).toEqual(
        JSON.parse(images),
      );
  });
});
