import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createServiceRuns } from '../../src/store/service-runs.ts';
import { useDatabase } from '../support/databases.ts';
import { shellEnvironment, startRunsService } from '../support/runs-service.ts';

describe('a run that continues a conversation', () => {
  const db = useDatabase();

  it('begins with what the run before had changed', async () => {
    const environment = shellEnvironment(
      `cat >> notes.txt; cat notes.txt; [ -e bytes ] && echo "bytes: $(wc -c < bytes)"; printf '\\000\\001' >> bytes`,
    );
    const service = await startRunsService({ environments: [environment] });
    const first = await service.begin({ prompt: 'three\n' });
    const { conversation_id } = await service.until(first, 'SUCCEEDED');
    const second = await service.begin({ prompt: 'four\n', conversation_id });
    await service.until(second, 'SUCCEEDED');
    const output = (id: string) =>
      readFileSync(join(service.dataDir, 'transcripts', id, 'output.log'), 'utf8');
    expect(output(second)).toBe('one\ntwo\nthree\nfour\nbytes: 2\n');
    const other = await service.begin({ prompt: 'five\n' });
    await service.until(other, 'SUCCEEDED');
    expect(output(other)).toBe('one\ntwo\nfive\n');
  });

  it('says so when they no longer fit, and begins fresh', async () => {
    const environment = shellEnvironment('cat >> notes.txt; cat notes.txt');
    const service = await startRunsService({ environments: [environment], db: db() });
    const first = await service.begin({ prompt: 'three\n' });
    const { conversation_id } = await service.until(first, 'SUCCEEDED');
    const folder = environment.repositories[0]?.url ?? '';
    writeFileSync(join(folder, 'notes.txt'), 'all\nis\nnew\n');
    execFileSync(
      'git',
      ['-c', 'user.name=T', '-c', 'user.email=t@localhost', 'commit', '-qam', 'x'],
      {
        cwd: folder,
      },
    );
    const second = await service.begin({ prompt: 'four\n', conversation_id });
    expect((await service.until(second, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    const notes = (await createServiceRuns(db()).changesOf(second)).map(({ note }) => note);
    expect(notes.join('\n')).toContain('no longer fit');
  });
});
