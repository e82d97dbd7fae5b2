import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTestDatabase } from '../../support/database/test-key.ts';
import { startLosingProxy } from '../../support/network/losing-proxy.ts';
import { startRunsService, temporaryFolder } from '../../support/runs-service.ts';
import { aScheduler } from '../../support/service/run-elsewhere.ts';

const aFile = () => join(temporaryFolder(), 'go');
const untilThere = (file: string) => `while [ ! -e ${file} ]; do sleep 0.1; done`;
const transcript = (dataDir: string, id: string, name: string) =>
  readFileSync(join(dataDir, 'transcripts', id, name), 'utf8');

describe('while a run goes on elsewhere', () => {
  it('it gets follow-ups, and takes no more after the last one', async () => {
    const scheduler = aScheduler();
    const go = aFile();
    const environment = scheduler.environment(`cat; echo; ${untilThere(go)}`);
    const { begin, until, request, dataDir, printed } = await startRunsService({
      environments: [environment],
    });
    const id = await begin({ prompt: 'first' });
    await printed(id, 'first');
    const say = (message: string) =>
      request(`/agent/runs/${id}/followups`, {
        method: 'POST',
        body: JSON.stringify({ message }),
        headers: { 'content-type': 'application/json' },
      });
    for (const message of ['second', 'third']) expect((await say(message)).ok).toBe(true);
    writeFileSync(go, '');
    expect((await until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    expect(transcript(dataDir, id, 'output.log')).toBe('first\nsecond\nthird\n');
    expect((await say('late')).ok).toBe(false);
  });

  it('a cancel ends its agent and keeps its changes', async () => {
    const scheduler = aScheduler();
    const script = 'echo changed >> notes.txt; echo ready; sleep 600';
    const { begin, until, request, dataDir, printed } = await startRunsService({
      environments: [scheduler.environment(script)],
    });
    const id = await begin({ prompt: 'x' });
    await printed(id, 'ready');
    await request(`/agent/runs/${id}/cancel`, { method: 'POST' });
    await until(id, 'CANCELLED');
    expect(transcript(dataDir, id, 'changes.patch')).toContain('+changed');
    await expect.poll(() => scheduler.alive()).toEqual([]);
    expect(scheduler.wasCanceled(id)).toBe(false);
  });

  it('a cancel before its process starts goes to the scheduler', async () => {
    const scheduler = aScheduler();
    const { cancel } = scheduler.dispatch;
    const environment = scheduler.environment('true', {
      dispatch: { command: ['true'], cancel },
    });
    const { begin, until, request } = await startRunsService({ environments: [environment] });
    const id = await begin({ prompt: 'x' });
    await until(id, 'INPROGRESS');
    await request(`/agent/runs/${id}/cancel`, { method: 'POST' });
    await until(id, 'CANCELLED');
    expect(scheduler.wasCanceled(id)).toBe(true);
  });

  it('only one of two processes with its token executes it', async () => {
    const scheduler = aScheduler();
    const [start = ''] = scheduler.dispatch.command;
    const twice = `json=$(cat); for n in 1 2; do echo "$json" | ${start}; done`;
    const environment = scheduler.environment('echo once; echo once >> notes.txt', {
      dispatch: { command: ['sh', '-c', twice] },
    });
    const { begin, until, dataDir } = await startRunsService({ environments: [environment] });
    const id = await begin({ prompt: 'x' });
    expect((await until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    await expect.poll(() => scheduler.alive()).toEqual([]);
    expect(transcript(dataDir, id, 'output.log')).toBe('once\n');
    expect(scheduler.log()).toContain('belongs to another process');
  });

  it('a refusal of the dispatch command says why, without the token', async () => {
    const scheduler = aScheduler();
    const environment = scheduler.environment('true', {
      dispatch: { command: ['sh', '-c', 'cat >&2; echo "the queue is closed" >&2; exit 3'] },
    });
    const { begin, until } = await startRunsService({ environments: [environment] });
    const { status_message: status } = await until(await begin({ prompt: 'x' }), 'FAILED');
    expect(status?.message).toMatch(/exited with code 3.*the queue is closed/s);
    expect(status?.message).not.toMatch(/"token":"(?!\*\*\*)/);
  });

  it.each([
    ['SIGKILL', "hasn't reported for", 25_000],
    ['SIGTERM', 'was stopped from outside', undefined],
  ] as const)('the end of its process by %s is reported', async (signal, why, silentMs) => {
    const scheduler = aScheduler();
    const { begin, until, printed } = await startRunsService({
      environments: [scheduler.environment('echo ready; sleep 600')],
      silentMs,
    });
    const id = await begin({ prompt: 'x' });
    await printed(id, 'ready');
    scheduler.kill(signal);
    const run = await until(id, 'FAILED');
    expect(run.status_message).toMatchObject({
      message: expect.stringContaining(why),
      retryable: true,
    });
  });

  it('it starts over after that if its environment says so, with a token of its own', async () => {
    const scheduler = aScheduler();
    const marker = aFile();
    const script = `echo begun; if [ ! -e ${marker} ]; then touch ${marker}; sleep 600; fi; echo done`;
    const environment = scheduler.environment(script, { restart: true });
    const { begin, until, dataDir, printed } = await startRunsService({
      environments: [environment],
    });
    const id = await begin({ prompt: 'x' });
    await printed(id, 'begun');
    await expect.poll(() => existsSync(marker)).toBe(true);
    scheduler.kill('SIGTERM');
    expect((await until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    expect(transcript(dataDir, id, 'output.log')).toMatch(/^begun\n\n\[.*over\.\]\nbegun\ndone\n$/);
    const tokens = scheduler.dispatches().map(({ token }) => token);
    expect(new Set(tokens).size).toBe(2);
  });
});

describe('when the service is away', () => {
  it('a run goes on, and a service that starts again follows it to its end', async () => {
    const scheduler = aScheduler();
    const proxy = await startLosingProxy();
    const go = aFile();
    const script = `echo before; ${untilThere(go)}; echo after; echo more >> notes.txt`;
    const dataDir = temporaryFolder();
    const db = await openTestDatabase(`sqlite:${join(dataDir, 'service.db')}`);
    const options = {
      environments: [scheduler.environment(script)],
      db,
      dataDir,
      serviceUrl: proxy.url,
    };
    const first = await startRunsService(options);
    proxy.leadTo(first.service.url);
    const id = await first.begin({ prompt: 'x' });
    await first.printed(id, 'before');
    proxy.leadTo(undefined);
    await first.service.stop();
    expect(scheduler.alive()).toHaveLength(1);
    writeFileSync(go, '');
    const second = await startRunsService(options);
    proxy.leadTo(second.service.url);
    expect((await second.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    expect(transcript(dataDir, id, 'output.log')).toBe('before\nafter\n');
    expect(transcript(dataDir, id, 'changes.patch')).toContain('+more');
    expect(scheduler.dispatches()).toHaveLength(1);
  });

  it('replies that get lost change nothing, and 50 MB of output arrive whole', async () => {
    const scheduler = aScheduler();
    const proxy = await startLosingProxy();
    const line = '0123456789abcdef'.repeat(64).slice(1);
    const lines = 48_900;
    const script = `yes ${line} | head -n ${lines}; echo report > "$AGENT_ARTIFACTS_DIR/a.md"; echo x >> notes.txt`;
    const service = await startRunsService({
      environments: [scheduler.environment(script)],
      serviceUrl: proxy.url,
    });
    proxy.leadTo(service.service.url);
    let calls = 0;
    // Every third reply, of every kind.
    proxy.lose(() => calls++ % 3 === 0);
    const id = await service.begin({ prompt: 'x' });
    const run = await service.until(id, 'SUCCEEDED', 'FAILED');
    expect(run.state).toBe('SUCCEEDED');
    const output = transcript(service.dataDir, id, 'output.log');
    expect(output.length).toBe(lines * (line.length + 1));
    expect(output).toBe(`${line}\n`.repeat(lines));
    expect(output.length).toBeGreaterThan(50_000_000);
    expect(transcript(service.dataDir, id, 'changes.patch')).toContain('+x');
    expect(run.artifacts?.filter(({ artifact_type: type }) => type === 'FILE')).toHaveLength(3);
  });
});
