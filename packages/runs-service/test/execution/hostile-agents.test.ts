import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ServiceEnvironment } from '../../src/environments/environments.ts';
import { runningProcesses } from '../support/running-processes.ts';
import {
  type StartedService,
  shellEnvironment,
  startRunsService,
} from '../support/runs-service.ts';

async function runOf(script: string, more: Partial<ServiceEnvironment> = {}, prompt = 'x') {
  const service = await startRunsService({
    environments: [shellEnvironment(script, more)],
    outputLimitBytes: 100_000,
    killGraceMs: 50,
  });
  const run = await service.until(await service.begin({ prompt }), 'SUCCEEDED', 'FAILED');
  return { service, run, message: run.status_message?.message ?? '' };
}

const outputFile = ({ dataDir }: StartedService, id: string) =>
  join(dataDir, 'transcripts', id, 'output.log');

describe('an agent that', () => {
  it('leaves processes behind does not delay the end of the run', async () => {
    // Unique sleep duration, by which the test finds the process.
    const seconds = 1_000_000 + process.pid;
    const { service, run } = await runOf(
      `sleep ${seconds} & setsid sh -c 'touch ../../left; exec sleep ${seconds}' &
       until [ -e ../../left ]; do sleep 0.01; done`,
    );
    expect(run.state).toBe('SUCCEEDED');
    const left = runningProcesses().filter(({ command }) => command === `sleep ${seconds}`);
    expect(left).toEqual([]);
    expect(readdirSync(join(service.dataDir, 'work'))).toEqual([]);
  });

  it('hangs is stopped at the time limit, with a message', async () => {
    const { run, message } = await runOf("trap '' TERM; while :; do sleep 1; done", {
      time_limit_seconds: 0.3,
    });
    expect(run.state).toBe('FAILED');
    expect(message).toContain('time limit of');
  });

  it('prints too much is cut to the start and the end', async () => {
    const { service, run } = await runOf(
      'yes "a long line" | head -c 20000000; echo; echo the end',
    );
    expect(run.state).toBe('SUCCEEDED');
    const output = readFileSync(outputFile(service, run.run_id), 'utf8');
    expect(output.startsWith('a long line\n')).toBe(true);
    expect(output).toMatch(/\[… \d+ bytes skipped: the output limit is 100000 bytes …\]/);
    expect(output.endsWith('the end\n')).toBe(true);
    expect(statSync(outputFile(service, run.run_id)).size).toBeLessThan(120_000);
  });

  it('prints binary data and terminal commands fails with a readable message', async () => {
    const { run, message } = await runOf(
      `printf '\\000\\377\\033]0;title\\007\\033[31mred \\033[1mreason\\033[0m\\n' >&2; exit 1`,
    );
    expect(run.state).toBe('FAILED');
    expect(message).toContain('red reason\n');
    expect(message.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it('is not installed is named', async () => {
    const { run, message } = await runOf('', { command: ['no-such-agent', '--go'] });
    expect(run.state).toBe('FAILED');
    expect(message).toContain('"no-such-agent" isn\'t installed');
    expect(run.status_message?.error_code).toBe('environment_setup_failed');
  });

  it('is killed from outside fails with the signal', async () => {
    const { message } = await runOf('kill -SEGV $$');
    expect(message).toContain('SIGSEGV');
  });

  it("doesn't read a long prompt still succeeds", async () => {
    const { run } = await runOf('exec <&-; true', {}, 'long '.repeat(30_000));
    expect(run.state).toBe('SUCCEEDED');
  });

  it('gets a prompt that is too long for a variable on stdin and as a file', async () => {
    const prompt = 'x'.repeat(150_000);
    const { service, run } = await runOf(
      'wc -c; wc -c < "$AGENT_PROMPT_FILE"; [ -n "$AGENT_PROMPT" ] || echo none',
      {},
      prompt,
    );
    expect(readFileSync(outputFile(service, run.run_id), 'utf8')).toBe('150000\n150000\nnone\n');
  });

  it("prints its variables shows none of the service's", async () => {
    process.env['SECRET_OF_THE_SERVICE'] = 'do-not-leak';
    const { service, run } = await runOf('env | cut -d= -f1 | sort', { variables: { OWN: '1' } });
    delete process.env['SECRET_OF_THE_SERVICE'];
    const names = readFileSync(outputFile(service, run.run_id), 'utf8').trim().split('\n');
    const shell = ['PWD', 'OLDPWD', 'SHLVL', '_'];
    expect(names.filter((name) => !name.startsWith('AGENT_') && !shell.includes(name))).toEqual([
      'HOME',
      'LANG',
      'OWN',
      'PATH',
      'TERM',
      'TMPDIR',
    ]);
  });

  it("manipulates the checkout's git settings does not affect the service", async () => {
    const { service, run } = await runOf(
      `git config core.fsmonitor "touch $HOME/../../../caught"; git config diff.external "touch /tmp/x"
       mkdir -p .git/hooks; printf '#!/bin/sh\ntouch %s/../../../caught' "$HOME" > .git/hooks/post-index-change
       chmod +x .git/hooks/*; git config filter.evil.clean "touch $HOME/../../../caught"
       echo '* filter=evil' > .gitattributes; echo changed >> notes.txt`,
    );
    expect(run.state).toBe('SUCCEEDED');
    expect(readdirSync(service.dataDir)).not.toContain('caught');
    const patch = join(service.dataDir, 'transcripts', run.run_id, 'changes.patch');
    expect(readFileSync(patch, 'utf8')).toContain('+changed');
  });
});

describe('a repository', () => {
  it("that cannot be cloned fails the run with git's message, without credentials", async () => {
    const url = 'http://user:hunter2@127.0.0.1:9/team/gone.git';
    const { run, message } = await runOf('true', { repositories: [{ url }] });
    expect(run.state).toBe('FAILED');
    expect(run.status_message?.error_code).toBe('environment_setup_failed');
    expect(message).toContain("Couldn't check out repository team/gone.");
    expect(message).toContain('fatal: unable to access');
    expect(message).not.toContain('hunter2');
  });

  it('without the requested branch fails the run with a message', async () => {
    const environment = shellEnvironment('true');
    const [repository] = environment.repositories;
    const { message } = await runOf('true', {
      repositories: [{ url: repository!.url, branch: 'nope' }],
    });
    expect(message).toContain('nope');
  });
});
