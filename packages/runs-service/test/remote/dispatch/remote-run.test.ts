import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../support/databases.ts';
import { startLosingProxy } from '../../support/network/losing-proxy.ts';
import { startRunsService, temporaryFolder } from '../../support/runs-service.ts';
import { inProcessScheduler } from '../../support/service/in-process-scheduler.ts';

const aFile = () => join(temporaryFolder(), 'go');
const untilThere = (file: string) => `while [ ! -e ${file} ]; do sleep 0.05; done`;
const transcript = (dataDir: string, id: string, name: string) =>
  readFileSync(join(dataDir, 'transcripts', id, name), 'utf8');

const attachment = {
  file_name: 'plan.txt',
  mime_type: 'text/plain',
  data: Buffer.from('the plan').toString('base64'),
};

describe('a remote run', () => {
  it('does what it would do here, although every third reply is lost', async () => {
    const scheduler = inProcessScheduler();
    const secretFile = join(temporaryFolder(), 'key');
    writeFileSync(secretFile, 's3cret-value-of-the-key\n');
    const script = [
      'cat; echo " key: $KEY"; cat "$AGENT_ATTACHMENTS_DIR/plan.txt"; echo',
      'echo three >> notes.txt; echo report > "$AGENT_ARTIFACTS_DIR/report.md"',
      'echo; echo "Done with it."',
    ].join('\n');
    const environment = scheduler.environment(script, { secret_files: { KEY: secretFile } });
    const proxy = await startLosingProxy();
    const { begin, until, service, dataDir } = await startRunsService({
      environments: [environment],
      serviceUrl: proxy.url,
    });
    proxy.leadTo(service.url);
    let calls = 0;
    proxy.lose(() => calls++ % 3 === 0);
    const id = await begin({ prompt: 'Do it.', attachments: [attachment] });
    const run = await until(id, 'SUCCEEDED', 'FAILED');
    expect(run).toMatchObject({
      state: 'SUCCEEDED',
      status_message: { message: 'Done with it.' },
      agent_progress: { changes: { files: 1 } },
    });
    expect(transcript(dataDir, id, 'output.log')).toBe(
      'Do it. key: [secret]\nthe plan\n\nDone with it.\n',
    );
    expect(transcript(dataDir, id, 'changes.patch')).toContain('+three');
    const files = run.artifacts?.map(({ data }) => data?.['filename']);
    expect(files).toEqual(['changes.patch', 'report.md']);
    await expect.poll(scheduler.active).toBe(0);
    expect(scheduler.dispatches()).toMatchObject([{ run_id: id, attempt: 1 }]);
    expect(scheduler.log()).not.toContain('s3cret-value');
  });

  it('gets follow-ups, and takes no more after the last one', async () => {
    const scheduler = inProcessScheduler();
    const go = aFile();
    const { begin, until, request, dataDir, printed } = await startRunsService({
      environments: [scheduler.environment(`cat; echo; ${untilThere(go)}`)],
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

  it('is ended by a cancel, which keeps its changes; one before its process starts goes to the scheduler', async () => {
    const scheduler = inProcessScheduler();
    const script = 'echo changed >> notes.txt; echo ready; sleep 600';
    const { cancel } = scheduler.dispatch;
    const never = scheduler.environment('true', {
      id: 'never',
      dispatch: { command: ['true'], cancel },
    });
    const { begin, until, request, dataDir, printed } = await startRunsService({
      environments: [scheduler.environment(script), never],
    });
    const id = await begin({ prompt: 'x', config: { environment_id: 'remote' } });
    await printed(id, 'ready');
    await request(`/agent/runs/${id}/cancel`, { method: 'POST' });
    await until(id, 'CANCELLED');
    expect(transcript(dataDir, id, 'changes.patch')).toContain('+changed');
    await expect.poll(scheduler.active).toBe(0);
    expect(scheduler.wasCanceled()).toBe(false);

    const waiting = await begin({ prompt: 'x', config: { environment_id: 'never' } });
    await until(waiting, 'INPROGRESS');
    await request(`/agent/runs/${waiting}/cancel`, { method: 'POST' });
    await until(waiting, 'CANCELLED');
    expect(scheduler.wasCanceled()).toBe(true);
  });

  it('is executed by only one of two processes with its token', async () => {
    const scheduler = inProcessScheduler(2);
    const { begin, until, dataDir } = await startRunsService({
      environments: [scheduler.environment('echo once; echo once >> notes.txt')],
    });
    const id = await begin({ prompt: 'x' });
    expect((await until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    await expect.poll(scheduler.active).toBe(0);
    expect(transcript(dataDir, id, 'output.log')).toBe('once\n');
    expect(scheduler.log()).toContain('belongs to another process');
  });

  it('fails with the reason if the dispatch command rejects it, without the token', async () => {
    const environment = inProcessScheduler().environment('true', {
      dispatch: { command: ['sh', '-c', 'cat >&2; echo "the queue is closed" >&2; exit 3'] },
    });
    const { begin, until } = await startRunsService({ environments: [environment] });
    const { status_message: status } = await until(await begin({ prompt: 'x' }), 'FAILED');
    expect(status?.message).toMatch(/exited with code 3.*the queue is closed/s);
    expect(status?.message).not.toMatch(/"token":"(?!\*\*\*)/);
  });

  it('that is stopped from outside fails, or starts over with its own token if its environment says so', async () => {
    const [ending, again] = [inProcessScheduler(), inProcessScheduler()];
    const marker = aFile();
    const script = `echo begun; if [ ! -e ${marker} ]; then touch ${marker}; sleep 600; fi; echo done`;
    const restarting = again.environment(script, { id: 'again', restart: true });
    const { begin, until, dataDir, printed } = await startRunsService({
      environments: [ending.environment('echo begun; sleep 600'), restarting],
    });
    const [one, two] = [
      await begin({ prompt: 'x', config: { environment_id: 'remote' } }),
      await begin({ prompt: 'x', config: { environment_id: 'again' } }),
    ];
    for (const id of [one, two]) await printed(id, 'begun');
    await expect.poll(() => existsSync(marker)).toBe(true);
    for (const scheduler of [ending, again]) scheduler.stop();
    expect((await until(one, 'FAILED')).status_message).toMatchObject({
      message: expect.stringContaining('was stopped from outside'),
      retryable: true,
    });
    const restarted = await until(two, 'SUCCEEDED', 'FAILED');
    expect(restarted.state, restarted.status_message?.message).toBe('SUCCEEDED');
    expect(transcript(dataDir, two, 'output.log')).toMatch(
      /^begun\n\n\[.*Restarting the run\.\]\nbegun\ndone\n$/,
    );
    const tokens = again.dispatches().map(({ token }) => token);
    expect(new Set(tokens).size).toBe(2);
  });

  it('continues while the service is away, and a service that starts again follows it to its end', async () => {
    const scheduler = inProcessScheduler();
    const proxy = await startLosingProxy();
    const go = aFile();
    const script = `echo before; ${untilThere(go)}; echo after; echo more >> notes.txt`;
    const db = await openTestDatabase('sqlite::memory:');
    onTestFinished(() => db.destroy());
    const options = {
      environments: [scheduler.environment(script)],
      db,
      dataDir: temporaryFolder(),
      serviceUrl: proxy.url,
    };
    const first = await startRunsService(options);
    proxy.leadTo(first.service.url);
    const id = await first.begin({ prompt: 'x' });
    await first.printed(id, 'before');
    proxy.leadTo(undefined);
    await first.service.stop();
    expect(scheduler.active()).toBe(1);
    writeFileSync(go, '');
    const second = await startRunsService(options);
    proxy.leadTo(second.service.url);
    expect((await second.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    expect(transcript(options.dataDir, id, 'output.log')).toBe('before\nafter\n');
    expect(transcript(options.dataDir, id, 'changes.patch')).toContain('+more');
    expect(scheduler.dispatches()).toHaveLength(1);
  });
});
