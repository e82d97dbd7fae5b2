import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRunRemover } from '../src/artifacts/remove-runs.ts';
import { runDeleteCommand } from '../src/delete-command.ts';
import { openTestDatabase } from './support/databases.ts';
import { shellEnvironment, startRunsService, temporaryFolder } from './support/runs-service.ts';

async function start() {
  const db = await openTestDatabase(`sqlite:${join(temporaryFolder(), 'service.db')}`);
  const leave = 'echo words > "$AGENT_ARTIFACTS_DIR/report.txt"; echo done; sleep "$(cat)"';
  const environments = [shellEnvironment(leave, { default: true })];
  const service = await startRunsService({ db, environments });
  const printed: string[] = [];
  const remover = openRunRemover(db, { dataDir: service.dataDir, artifactsBucket: undefined });
  const run = (words: string[], input = '') =>
    runDeleteCommand(remover, words, {
      print: (line) => printed.push(line),
      input: async () => input,
    });
  const filesIn = (folder: string) => readdirSync(join(service.dataDir, folder));
  return { ...service, printed, run, filesIn };
}

describe('slash-agent runs-service runs delete', () => {
  it('deletes a run with its transcript and files, while the service runs', async () => {
    const { begin, until, request, run, printed, filesIn, dataDir } = await start();
    const [id, other] = [await begin({ prompt: '0' }), await begin({ prompt: '0' })];
    for (const each of [id, other]) await until(each, 'SUCCEEDED');
    const files = filesIn('artifacts').length;
    expect(files).toBeGreaterThan(1);
    await run(['delete', id]);
    expect(printed).toEqual(['Deleted 1 run.']);
    expect((await request(`/agent/runs/${id}`)).status).toBe(404);
    expect(existsSync(join(dataDir, 'transcripts', id))).toBe(false);
    expect(filesIn('artifacts').length).toBeLessThan(files);
    expect((await request(`/agent/runs/${other}`)).status).toBe(200);
    expect(existsSync(join(dataDir, 'transcripts', other))).toBe(true);
  });

  it('takes ids from standard input, and says what it did not delete', async () => {
    const { begin, until, run, get, printed } = await start();
    const [ended, active] = [await begin({ prompt: '0' }), await begin({ prompt: '1000' })];
    await until(ended, 'SUCCEEDED');
    await until(active, 'INPROGRESS');
    await expect(run(['delete', '-'], `${ended}\n${active}\n`)).rejects.toThrow(
      '1 run is still active or unknown to this service.',
    );
    expect(printed).toEqual(['Deleted 1 run.']);
    expect((await get(active)).state).toBe('INPROGRESS');
  });

  it('deletes the runs of a creator', async () => {
    const { begin, until, run, printed } = await start();
    await until(await begin({ prompt: '0' }), 'SUCCEEDED');
    await run(['delete', '--creator', 'grace']);
    await run(['delete', '--creator', 'ada']);
    expect(printed).toEqual(['Deleted 0 runs.', 'Deleted 1 run.']);
  });

  it.each([[[]], [['delete']], [['delete', 'a', '--creator', 'b']], [['show', 'a']]])(
    'says how to use it after %j',
    async (words) => {
      const { run } = await start();
      await expect(run(words)).rejects.toThrow('Usage:');
    },
  );
});
