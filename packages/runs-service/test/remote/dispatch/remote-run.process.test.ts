import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startLosingProxy } from '../../support/network/losing-proxy.ts';
import { startRunsService } from '../../support/runs-service.ts';
import { processScheduler } from '../../support/service/remote-runs.ts';

const transcript = (dataDir: string, id: string, name: string) =>
  readFileSync(join(dataDir, 'transcripts', id, name), 'utf8');

describe('the process of a remote run', () => {
  it.each([
    ['SIGKILL', "hasn't reported for"],
    ['SIGTERM', 'was stopped from outside'],
  ] as const)('fails its run if it ends by %s', async (signal, why) => {
    const scheduler = processScheduler();
    const { begin, until, printed } = await startRunsService({
      environments: [scheduler.environment('echo ready; sleep 600')],
      silentMs: 8_000,
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

  it('ends after half a minute of answers that it cannot read, says why, and keeps the changes', async () => {
    const scheduler = processScheduler();
    const proxy = await startLosingProxy();
    const environment = scheduler.environment('echo changed >> notes.txt; echo ready; sleep 600');
    const { service, begin, until, printed, dataDir } = await startRunsService({
      environments: [environment],
      serviceUrl: proxy.url,
    });
    proxy.leadTo(service.url);
    proxy.replace((path) => (path.endsWith('/report') ? '{"next":"x"}' : undefined));
    const id = await begin({ prompt: 'x' });
    await printed(id, 'ready');
    const { status_message: status } = await until(id, 'FAILED');
    expect(status?.message).toMatch(/don't understand each other \(next\)\. Use the same version/);
    expect(transcript(dataDir, id, 'changes.patch')).toContain('+changed');
    await expect.poll(() => scheduler.alive(id)).toEqual([]);
  });

  it('sends 50 MB of output whole, although every third reply is lost', async () => {
    const scheduler = processScheduler();
    const proxy = await startLosingProxy();
    const line = '0123456789abcdef'.repeat(64).slice(1);
    const lines = 48_900;
    const script = `yes ${line} | head -n ${lines}; echo report > "$AGENT_ARTIFACTS_DIR/a.md"; echo x >> notes.txt`;
    const { service, begin, until, dataDir } = await startRunsService({
      environments: [scheduler.environment(script)],
      serviceUrl: proxy.url,
    });
    proxy.leadTo(service.url);
    let calls = 0;
    proxy.lose(() => calls++ % 3 === 0);
    const id = await begin({ prompt: 'x' });
    const run = await until(id, 'SUCCEEDED', 'FAILED');
    expect(run.state).toBe('SUCCEEDED');
    expect(transcript(dataDir, id, 'output.log') === `${line}\n`.repeat(lines)).toBe(true);
    expect(transcript(dataDir, id, 'changes.patch')).toContain('+x');
    expect(run.artifacts?.filter(({ artifact_type: type }) => type === 'FILE')).toHaveLength(3);
    await expect.poll(() => scheduler.alive()).toEqual([]);
  });
});
