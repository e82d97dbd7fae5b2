import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepository, temporaryFolder } from '../../support/runs-service.ts';
import { startServeRuns } from '../../support/serve-runs.ts';

describe('a file of environments that changes while the service runs', () => {
  const repositories = () => [{ url: createRepository({ 'a.txt': '' }) }];

  it('is reloaded, even if an editor replaces it, without affecting active runs', async () => {
    const mark = join(temporaryFolder(), 'go');
    const waiting = `until [ -e ${mark} ]; do sleep 0.05; done; echo "$WHO"`;
    const a = {
      id: 'a',
      isolation: 'none',
      repositories: repositories(),
      command: ['sh', '-c', waiting],
    };
    const service = await startServeRuns(a);
    const active = await service.begin({ prompt: 'x' });
    await service.until(active, 'INPROGRESS');
    service.replace({ ...a, id: 'b' }, { ...a, id: 'c' });
    await expect.poll(service.ids).toEqual(['b', 'c']);
    const gone = await service.create({ prompt: 'x', config: { environment_id: 'a' } });
    expect(gone.status).toBe(422);
    expect(await gone.text()).toContain('Choose one of these: b, c.');
    service.replace(...Array.from({ length: 12 }, (_, at) => ({ ...a, id: `many-${at}` })));
    await expect.poll(service.ids).toHaveLength(12);
    const among = await service.create({ prompt: 'x', config: { environment_id: 'a' } });
    expect(await among.text()).toMatch(/many-0, .*many-9 and 2 more\./);
    writeFileSync(mark, '');
    expect((await service.until(active, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
  });

  it('with mistakes changes nothing, and the log and the list say why', async () => {
    const a = { id: 'a', isolation: 'none', repositories: repositories(), command: ['true'] };
    const service = await startServeRuns(a);
    service.write('environments:\n  - id: a\n    comand: [x]\n');
    await expect.poll(async () => (await service.listed()).problem).toContain('comand');
    expect(await service.ids()).toEqual(['a']);
    expect(service.log()).toContain('comand');
    rmSync(service.file);
    await expect.poll(async () => (await service.listed()).problem).toContain('ENOENT');
    const id = await service.begin({ prompt: 'x' });
    expect((await service.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    service.replace({ ...a, id: 'mended' });
    await expect.poll(service.listed).toMatchObject({ environments: [{ uid: 'mended' }] });
    expect((await service.listed()).problem).toBeUndefined();
  });

  it('with missing programs leads to warnings in the log and the list', async () => {
    const a = {
      id: 'a',
      isolation: 'none',
      repositories: repositories(),
      command: ['no-such-agent'],
    };
    const service = await startServeRuns(a);
    expect(service.log()).toContain('no-such-agent\\" isn\'t installed');
    service.replace({ ...a, command: ['true'] }, { ...a, id: 'b', command: ['no-agent-either'] });
    await expect.poll(service.log).toContain('no-agent-either\\" isn\'t installed');
    expect((await service.listed()).environments).toMatchObject([
      { uid: 'a' },
      { uid: 'b', problem: '"no-agent-either" isn\'t installed on the runs service\'s machine' },
    ]);
  });

  it('without the environment of a queued run fails that run and names other environments', async () => {
    const hanging = {
      id: 'a',
      isolation: 'none',
      repositories: repositories(),
      command: ['sleep', '1000'],
    };
    const a = { ...hanging, concurrency: 1 };
    const service = await startServeRuns(a);
    await service.until(await service.begin({ prompt: 'x' }), 'INPROGRESS');
    const waiting = await service.begin({ prompt: 'y' });
    expect((await service.get(waiting)).state).toBe('QUEUED');
    service.replace({ ...a, id: 'b' }, { ...a, id: 'c' });
    const run = await service.until(waiting, 'FAILED', 'SUCCEEDED');
    expect(run.started_at).toBeUndefined();
    expect(run.status_message).toMatchObject({
      message: 'Environment "a" no longer exists. Choose one of these: b, c.',
      error_code: 'resource_not_found',
      retryable: false,
    });
  });
});
