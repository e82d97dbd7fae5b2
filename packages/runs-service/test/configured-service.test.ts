import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startConfigured } from './configured.ts';
import { shellEnvironment, temporaryFolder } from './support/runs-service.ts';

const environment = (id: string, script: string, more: object = {}) =>
  shellEnvironment(script, { id, ...more });

it('RUNS_SERVICE_CONCURRENCY limits the active runs', async () => {
  const variables = { RUNS_SERVICE_CONCURRENCY: '6' };
  const { begin, until, get } = await startConfigured([environment('a', 'sleep 1000')], variables);
  const ids = await Promise.all(Array.from({ length: 6 }, () => begin({ prompt: 'x' })));
  const runs = await Promise.all(ids.map((id) => until(id, 'INPROGRESS')));
  expect(runs).toHaveLength(6);
  expect((await get(await begin({ prompt: 'x' }))).state).toBe('QUEUED');
});

describe('a file of environments that changes while the service runs', () => {
  it('is reloaded without affecting active runs; a queued run of an environment that is gone fails', async () => {
    const mark = join(temporaryFolder(), 'go');
    const waiting = `until [ -e ${mark} ]; do sleep 0.05; done`;
    const service = await startConfigured([environment('a', waiting, { concurrency: 1 })]);
    const active = await service.begin({ prompt: 'x' });
    await service.until(active, 'INPROGRESS');
    const queued = await service.begin({ prompt: 'y' });
    expect((await service.get(queued)).state).toBe('QUEUED');
    service.replace(environment('b', 'true'), environment('c', 'true'));
    const run = await service.until(queued, 'FAILED', 'SUCCEEDED');
    expect(run.started_at).toBeUndefined();
    expect(run.status_message).toMatchObject({
      message: 'Environment "a" no longer exists. Choose one of these: b, c.',
      error_code: 'resource_not_found',
      retryable: false,
    });
    expect(await service.ids()).toEqual(['b', 'c']);
    const gone = await service.create({ prompt: 'x', config: { environment_id: 'a' } });
    expect(gone.status).toBe(422);
    expect(await gone.text()).toContain('Choose one of these: b, c.');
    writeFileSync(mark, '');
    expect((await service.until(active, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');

    service.replace(...Array.from({ length: 12 }, (_, at) => environment(`many-${at}`, 'true')));
    await expect.poll(service.ids).toHaveLength(12);
    const among = await service.create({ prompt: 'x', config: { environment_id: 'a' } });
    expect(await among.text()).toMatch(/many-0, .*many-9 and 2 more\./);
  });

  it('with mistakes changes nothing; the log and the list say why, and name missing programs', async () => {
    const a = environment('a', 'true');
    const without = (command: string) => environment('b', '', { command: [command] });
    const service = await startConfigured([a, without('no-such-agent')]);
    expect(service.log()).toContain('no-such-agent\\" isn\'t installed');
    service.write('environments:\n  - id: a\n    comand: [x]\n');
    await expect.poll(async () => (await service.listed()).problem).toContain('comand');
    expect(await service.ids()).toEqual(['a', 'b']);
    expect(service.log()).toContain('comand');
    rmSync(service.file);
    await expect.poll(async () => (await service.listed()).problem).toContain('ENOENT');
    const id = await service.begin({ prompt: 'x', config: { environment_id: 'a' } });
    expect((await service.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');

    service.replace(a, without('no-agent-either'));
    await expect.poll(service.log).toContain('no-agent-either\\" isn\'t installed');
    const { environments, problem } = await service.listed();
    expect(problem).toBeUndefined();
    expect(environments).toMatchObject([
      { uid: 'a' },
      { uid: 'b', problem: '"no-agent-either" isn\'t installed on the runs service\'s machine' },
    ]);
  });
});
