import type { ChildProcess } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../support/bundle.ts';
import { startProgram } from '../support/program.ts';
import { clientOf, createRepository, temporaryFolder, testKey } from '../support/runs-service.ts';

let program = '';
beforeAll(() => {
  program = bundle('src/serve-runs.ts');
});

/** The runs service as people start it, on a file of environments that the test changes. */
async function startService(...environments: object[]) {
  const folder = temporaryFolder();
  const file = join(folder, 'environments.yml');
  const write = (content: string) => writeFileSync(file, content);
  const replace = (...all: object[]) => {
    writeFileSync(`${file}.new`, JSON.stringify({ environments: all }));
    renameSync(`${file}.new`, file);
  };
  replace(...environments);
  const child = startProgram(program, {
    RUNS_SERVICE_ENVIRONMENTS: file,
    RUNS_SERVICE_KEYS: `ada=${testKey}`,
    RUNS_SERVICE_PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'service.db')}`,
    DATA_DIR: join(folder, 'data'),
  });
  const log = collect(child);
  await expect.poll(log, { timeout: 20_000 }).toContain('"apiUrl"');
  const apiUrl = /"apiUrl":"([^"]+)"/.exec(log())?.[1] ?? '';
  const client = clientOf(apiUrl);
  const listed = async () => {
    const answer = await client.request('/agent/environments');
    return (await answer.json()) as { environments: { uid: string }[]; problem?: string };
  };
  const ids = async () => (await listed()).environments.map(({ uid }) => uid);
  return { folder, file, write, replace, log, listed, ids, ...client };
}

function collect(child: ChildProcess): () => string {
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  return () => said;
}

const soon = { timeout: 15_000 };

describe('a file of environments that changes while the service runs', { timeout: 60_000 }, () => {
  const repositories = () => [{ url: createRepository({ 'a.txt': '' }) }];

  it('is read anew, also when an editor replaces it, and runs that are going stay as they are', async () => {
    const mark = join(temporaryFolder(), 'go');
    const waiting = `until [ -e ${mark} ]; do sleep 0.05; done; echo "$WHO"`;
    const a = { id: 'a', repositories: repositories(), command: ['sh', '-c', waiting] };
    const service = await startService(a);
    const going = await service.begin({ prompt: 'x' });
    await service.until(going, 'INPROGRESS');
    service.replace({ ...a, id: 'b' }, { ...a, id: 'c' });
    await expect.poll(service.ids, soon).toEqual(['b', 'c']);
    const gone = await service.create({ prompt: 'x', config: { environment_id: 'a' } });
    expect(gone.status).toBe(422);
    expect(await gone.text()).toContain('Environments: b, c.');
    writeFileSync(mark, '');
    expect((await service.until(going, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
  });

  it('that is broken leaves the last good one, and says why in the log and in the list', async () => {
    const a = { id: 'a', repositories: repositories(), command: ['true'] };
    const service = await startService(a);
    service.write('environments:\n  - id: a\n    comand: [x]\n');
    await expect.poll(async () => (await service.listed()).problem, soon).toContain('comand');
    expect(await service.ids()).toEqual(['a']);
    expect(service.log()).toContain('comand');
    rmSync(service.file);
    await expect.poll(async () => (await service.listed()).problem, soon).toContain('ENOENT');
    const id = await service.begin({ prompt: 'x' });
    expect((await service.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    service.replace({ ...a, id: 'mended' });
    await expect.poll(service.listed, soon).toMatchObject({ environments: [{ uid: 'mended' }] });
    expect((await service.listed()).problem).toBeUndefined();
  });

  it('without the environment of a waiting run ends that run, naming those that exist', async () => {
    const hanging = { id: 'a', repositories: repositories(), command: ['sleep', '1000'] };
    const a = { ...hanging, concurrency: 1 };
    const service = await startService(a);
    await service.until(await service.begin({ prompt: 'x' }), 'INPROGRESS');
    const waiting = await service.begin({ prompt: 'y' });
    expect((await service.get(waiting)).state).toBe('QUEUED');
    service.replace({ ...a, id: 'b' }, { ...a, id: 'c' });
    const run = await service.until(waiting, 'FAILED', 'SUCCEEDED');
    expect(run.started_at).toBeUndefined();
    expect(run.status_message).toMatchObject({
      message: 'The environment "a" no longer exists. Choose another one: b, c.',
      error_code: 'resource_not_found',
      retryable: false,
    });
  });
});
