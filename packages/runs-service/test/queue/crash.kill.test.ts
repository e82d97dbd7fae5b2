import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundle } from '../../../base/test/support/bundle.ts';
import type { ServiceEnvironment } from '../../src/environments/environments.ts';
import { runningProcesses } from '../support/running-processes.ts';
import { clientOf, shellEnvironment, temporaryFolder } from '../support/runs-service.ts';

let program = '';
beforeAll(() => {
  program = bundle('packages/runs-service/test/support/service/service-process.ts');
});

function prepare(...environments: ServiceEnvironment[]): string {
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, 'environments.json'), JSON.stringify(environments));
  return dataDir;
}

type Started = { child: ChildProcess; said: string; exited: Promise<number | null> };

async function startProcess(...places: string[]): Promise<Started> {
  const child = spawn(process.execPath, [program, ...places], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const lines = createInterface({ input: child.stdout });
  const said = await new Promise<string>((resolve) => lines.once('line', resolve));
  return { child, said, exited };
}

async function kill({ child, exited }: Started): Promise<void> {
  child.kill('SIGKILL');
  await exited;
}

/** Unique number of seconds, which identifies the process. */
const seconds = 2_000_000 + process.pid;

const processesWith = (text: string) =>
  runningProcesses().filter(({ command }) => command === text);

describe('after kill -9 and a new start', () => {
  it('an active run fails as retryable, queued runs start, and nothing is left behind', async () => {
    const dataDir = prepare(
      shellEnvironment(`sleep ${seconds} & setsid sleep ${seconds} & sleep ${seconds}`, {
        id: 'slow',
      }),
      shellEnvironment('echo quick', { id: 'quick', concurrency: 1 }),
    );
    const first = await startProcess(dataDir);
    const before = clientOf(first.said);
    const slow = { prompt: 'x', config: { environment_id: 'slow' } };
    const active = [await before.begin(slow), await before.begin(slow)];
    for (const id of active) await before.until(id, 'INPROGRESS');
    await expect.poll(() => processesWith(`sleep ${seconds}`).length).toBeGreaterThanOrEqual(6);
    const queued = await before.begin({ prompt: 'y', config: { environment_id: 'quick' } });
    await kill(first);

    const after = clientOf((await startProcess(dataDir)).said);
    for (const id of active) {
      const run = await after.get(id);
      expect(run.state).toBe('FAILED');
      expect(run.status_message).toMatchObject({
        message: expect.stringContaining('restarted'),
        retryable: true,
      });
    }
    expect((await after.until(queued, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    expect(processesWith(`sleep ${seconds}`)).toEqual([]);
    expect(readdirSync(join(dataDir, 'work'))).toEqual([]);
  });

  it('every accepted run reaches its end, whenever the service is killed', async () => {
    const dataDir = prepare(shellEnvironment('cat; echo more >> notes.txt'));
    const accepted: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const started = await startProcess(dataDir);
      const client = clientOf(started.said);
      for (let count = 0; count < 4; count += 1)
        accepted.push(await client.begin({ prompt: `run ${round}.${count}` }));
      // Kill a little later in each round.
      for (const id of accepted.slice(-4).slice(0, round)) await client.until(id, 'SUCCEEDED');
      await kill(started);
    }
    const client = clientOf((await startProcess(dataDir)).said);
    for (const id of accepted) {
      const run = await client.until(id, 'SUCCEEDED', 'FAILED');
      if (run.state === 'FAILED') expect(run.status_message?.retryable).toBe(true);
    }
    expect(readdirSync(join(dataDir, 'work'))).toEqual([]);
  });

  it('a stop by a signal ends active runs with a message, and the process exits', async () => {
    const dataDir = prepare(shellEnvironment(`sleep ${seconds}`));
    const first = await startProcess(dataDir);
    const id = await clientOf(first.said).begin({ prompt: 'x' });
    await clientOf(first.said).until(id, 'INPROGRESS');
    first.child.kill('SIGTERM');
    expect(await first.exited).toBe(0);
    const run = await clientOf((await startProcess(dataDir)).said).get(id);
    expect(run).toMatchObject({ state: 'FAILED', status_message: { retryable: true } });
    expect(run.status_message?.message).toContain('stopped');
    expect(processesWith(`sleep ${seconds}`)).toEqual([]);
  });
});

describe('a run of an environment that says "restart"', () => {
  /** Creates an environment whose agent hangs at the first start for a run, and works at the second. */
  function hangsOnce(): ServiceEnvironment {
    const mark = join(temporaryFolder(), 'mark');
    return shellEnvironment(
      `echo "got $(cat)"; [ -e ${mark} ] || { touch ${mark}; exec sleep ${seconds}; }; echo done`,
      { restart: true },
    );
  }
  const outputOf = (dataDir: string, id: string) =>
    readFileSync(join(dataDir, 'transcripts', id, 'output.log'), 'utf8');

  async function begunIn(dataDir: string): Promise<{ started: Started; id: string }> {
    const started = await startProcess(dataDir);
    const client = clientOf(started.said);
    const id = await client.begin({ prompt: 'x' });
    await client.until(id, 'INPROGRESS');
    await expect.poll(() => processesWith(`sleep ${seconds}`).length).toBeGreaterThan(0);
    return { started, id };
  }

  it('stays in progress after kill -9 and starts over, with a note in its transcript', async () => {
    const dataDir = prepare(hangsOnce());
    const { started, id } = await begunIn(dataDir);
    await kill(started);
    const client = clientOf((await startProcess(dataDir)).said);
    expect((await client.get(id)).state).toBeOneOf(['INPROGRESS', 'SUCCEEDED']);
    expect((await client.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    expect(outputOf(dataDir, id)).toBe(
      'got x\n\n[The runs service was restarted. Restarting the run.]\ngot x\ndone\n',
    );
    expect(processesWith(`sleep ${seconds}`)).toEqual([]);
    expect(readdirSync(join(dataDir, 'work'))).toEqual([]);
  });

  it('returns to the queue at a stop, and the next service starts it over', async () => {
    const dataDir = prepare(hangsOnce());
    const { started, id } = await begunIn(dataDir);
    started.child.kill('SIGTERM');
    expect(await started.exited).toBe(0);
    const client = clientOf((await startProcess(dataDir)).said);
    expect((await client.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    expect(outputOf(dataDir, id)).toContain('[The runs service was stopped. Restarting the run.]');
  });

  it('is canceled if someone requested it before the kill', async () => {
    const dataDir = prepare(
      shellEnvironment(`trap '' TERM; sleep ${seconds} & while :; do wait; done`, {
        restart: true,
      }),
    );
    const { started, id } = await begunIn(dataDir);
    await clientOf(started.said).request(`/agent/runs/${id}/cancel`, { method: 'POST' });
    await kill(started);
    const run = await clientOf((await startProcess(dataDir)).said).get(id);
    expect(run.state).toBe('CANCELLED');
  });
});

describe('two services', () => {
  it('cannot use the same data folder', async () => {
    const dataDir = prepare(shellEnvironment('true'));
    const first = await startProcess(dataDir);
    const second = await startProcess(dataDir);
    expect(second.said).toContain(`used by another runs service (process ${first.child.pid})`);
    await second.exited.then((code) => expect(code).toBe(1));
  });

  it('cannot use the same SQLite file, but a killed one does not block the next', async () => {
    const environment = shellEnvironment('true');
    const file = join(temporaryFolder(), 'shared.db');
    const first = await startProcess(prepare(environment), file);
    const second = await startProcess(prepare(environment), file);
    expect(second.said).toContain(`The database file ${file} is used by another runs service`);
    expect(second.said).toContain('PostgreSQL');
    expect(await second.exited).toBe(1);
    expect((await fetch(`${first.said}/openapi.json`)).status).toBe(200);
    await kill(first);
    expect((await startProcess(prepare(environment), file)).said).toMatch(/^http:/);
  });
});
