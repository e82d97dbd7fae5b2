import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRuns } from '../../src/store/runs.ts';
import { useDatabase } from '../support/databases.ts';
import { shellEnvironment, startRunsService } from '../support/runs-service.ts';

describe('a run that continues a conversation', () => {
  const db = useDatabase();

  it('starts with the changes of the run before', async () => {
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

  it('starts without them if they no longer apply, and says so', async () => {
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
    const notes = (await createRuns(db()).changesOf(second)).map(({ note }) => note);
    expect(notes.join('\n')).toContain("Couldn't apply the changes");
  });

  it('applies changes of several MB, and text that is not UTF-8', async () => {
    const environment = shellEnvironment(
      'if [ -e big ]; then wc -l < big; od -An -tx1 city; else seq 400000 > big; printf "Z\\374rich\\n" > city; fi',
    );
    const service = await startRunsService({ environments: [environment] });
    const first = await service.begin({ prompt: 'x' });
    const { conversation_id, session_link } = await service.until(first, 'SUCCEEDED', 'FAILED');
    const page = await (await fetch(session_link ?? '')).text();
    expect(page).toContain('This is the first part of a 3.1 MB patch.');
    expect(page).not.toContain('incomplete');
    const second = await service.begin({ prompt: 'x', conversation_id });
    await service.until(second, 'SUCCEEDED', 'FAILED');
    const output = join(service.dataDir, 'transcripts', second, 'output.log');
    expect(readFileSync(output, 'utf8')).toBe('400000\n 5a fc 72 69 63 68 0a\n');
  });

  it('never starts with partial changes', async () => {
    const environment = shellEnvironment(
      'ls | wc -l; for n in 1 2 3 4 5 6 7 8 9; do echo "$n" > "file$n"; done',
    );
    const service = await startRunsService({
      environments: [environment],
      db: db(),
      patchLimitBytes: 500,
    });
    const first = await service.begin({ prompt: 'x' });
    const { conversation_id, session_link } = await service.until(first, 'SUCCEEDED', 'FAILED');
    const page = await (await fetch(session_link ?? '')).text();
    expect(page).toContain('This patch is incomplete');
    expect(page).toContain('file1');
    expect(page).not.toContain('file9');
    expect((await fetch(`${session_link}/changes.patch`)).status).toBe(404);
    const incomplete = await (await fetch(`${session_link}/incomplete.patch`)).text();
    expect(incomplete).toContain('This patch is incomplete');
    const second = await service.begin({ prompt: 'x', conversation_id });
    await service.until(second, 'SUCCEEDED', 'FAILED');
    const output = join(service.dataDir, 'transcripts', second, 'output.log');
    expect(readFileSync(output, 'utf8').trim()).toBe('1');
    const notesOf = async (id: string) =>
      (await createRuns(db()).changesOf(id)).map(({ note }) => note).join('\n');
    expect(await notesOf(first)).toContain('larger than 500 bytes');
    expect(await notesOf(second)).toContain("weren't saved completely");
  });
});
