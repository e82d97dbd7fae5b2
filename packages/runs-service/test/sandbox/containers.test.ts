import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createLogger } from 'base/logger';
import { describe, expect, it } from 'vitest';
import { containerSandbox } from '../../src/sandbox/container.ts';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';
import { createContainerProgram, deaf, sleeping } from './container-program.ts';

describe('an environment with a container', () => {
  it('passes variables by name, so that no secret is on a command line, and saves changes', async () => {
    const secret = join(temporaryFolder(), 'token');
    writeFileSync(secret, 'hunter2-hunter2');
    const { environment, callsFile } = createContainerProgram();
    const script = 'cat; printf %s "$TOKEN" | wc -c; cat "$AGENT_PROMPT_FILE" >> notes.txt';
    const secret_files = { TOKEN: secret };
    const service = await startRunsService({
      environments: [shellEnvironment(script, { ...environment, secret_files })],
    });
    const id = await service.begin({ prompt: 'hello' });
    const run = await service.until(id, 'SUCCEEDED', 'FAILED');
    expect(run).toMatchObject({ state: 'SUCCEEDED' });
    const transcript = join(service.dataDir, 'transcripts', id);
    expect(readFileSync(join(transcript, 'output.log'), 'utf8')).toBe('hello15\n');
    expect(readFileSync(join(transcript, 'changes.patch'), 'utf8')).toContain('+hello');
    const calls = readFileSync(callsFile, 'utf8');
    expect(calls).toContain('"--env","TOKEN"');
    expect(calls).not.toContain('"--env","PATH"');
    expect(calls).not.toContain('hunter2');
    const work = join(service.dataDir, 'work', id);
    const host = `${work}\\.[0-9a-f-]{36}/files`;
    expect(calls).toMatch(new RegExp(`"--volume","${host}:${work}"`));
    expect(calls).toContain(`"--workdir","${work}/repo/`);
  });

  it('removes it when the run is canceled, even if the agent ignores SIGTERM', async () => {
    const { environment, callsFile } = createContainerProgram();
    const service = await startRunsService({
      environments: [shellEnvironment(deaf, environment)],
      killGraceMs: 50,
    });
    const id = await service.begin({ prompt: 'x' });
    await expect.poll(sleeping).toHaveLength(1);
    await service.request(`/agent/runs/${id}/cancel`, { method: 'POST' });
    expect((await service.until(id, 'CANCELLED', 'FAILED')).state).toBe('CANCELLED');
    expect(sleeping()).toEqual([]);
    expect(readFileSync(callsFile, 'utf8')).toContain(`["rm","--force","slash-agent-${id}"]`);
    expect(readdirSync(join(service.dataDir, 'work'))).toEqual([]);
  });

  it('removes it when its output cannot be read', async () => {
    const { environment, callsFile } = createContainerProgram();
    const folder = temporaryFolder();
    const target = { runId: 'r', folder };
    const logger = createLogger('silent');
    const sandbox = containerSandbox(environment, environment.container ?? [], { target, logger });
    const isStarted = join(dirname(callsFile), 'slash-agent-r');
    const script = `until [ -e ${isStarted} ]; do sleep 0.01; done; ${deaf}`;
    const running = sandbox.run({
      argv: ['sh', '-c', script],
      cwd: folder,
      timeoutMs: 60_000,
      graceMs: 0,
      variables: { PATH: process.env['PATH'] ?? '' },
      signal: new AbortController().signal,
      onOutput: () => {
        throw new RangeError('too deep');
      },
    });
    await expect(running).rejects.toThrow('too deep');
    expect(readFileSync(callsFile, 'utf8')).toContain('["rm","--force","slash-agent-r"]');
    expect(sleeping()).toEqual([]);
  });

  it('is rejected if its program is missing, can start no container, or its image lacks a tool', async () => {
    const { environment, callsFile } = createContainerProgram();
    const failing = ['sh', '-c', 'echo "Cannot connect to the daemon" >&2; exit 125'];
    const tools = temporaryFolder();
    symlinkSync('/bin/sh', join(tools, 'sh'));
    const bare = ['env', `PATH=${tools}`];
    const missing = ['no-such-docker', '{container_name}', '{work_dir}', '{variable}'];
    const service = await startRunsService({
      environments: [
        { ...shellEnvironment('true', { container: failing }), id: 'down' },
        { ...shellEnvironment('true', { container: bare }), id: 'bare' },
        { ...shellEnvironment('true', { container: missing }), id: 'missing' },
        { ...shellEnvironment('true', environment), id: 'fine' },
      ],
    });
    const down = await service.begin({ prompt: 'x', config: { environment_id: 'down' } });
    const { status_message: why } = await service.until(down, 'FAILED', 'SUCCEEDED');
    expect(why?.message).toContain('(Cannot connect to the daemon). Try that command as the user');
    const fine = await service.begin({ prompt: 'x', config: { environment_id: 'fine' } });
    expect((await service.until(fine, 'FAILED', 'SUCCEEDED')).state).toBe('SUCCEEDED');
    const probes = readFileSync(callsFile, 'utf8').match(/^\["run".*slash-agent-probe-/gm);
    expect(probes).toHaveLength(1);
    const listed = await (await service.request('/agent/environments')).text();
    expect(listed).toContain('Cannot connect to the daemon');
    expect(listed).toContain("git isn't in the image");
    expect(listed).toContain('no-such-docker\\" isn\'t installed');
    const id = await service.begin({ prompt: 'x', config: { environment_id: 'missing' } });
    expect((await service.until(id, 'FAILED', 'SUCCEEDED')).status_message).toMatchObject({
      message: expect.stringContaining('"no-such-docker" isn\'t installed'),
      error_code: 'environment_setup_failed',
    });
  });
});
