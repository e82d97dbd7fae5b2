import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServiceEnvironment } from '../../../../src/runs-service/environments/environments.ts';
import { isInstalled } from '../../../../src/runs-service/harnesses/agent-command.ts';
import { openDatabase } from '../../../../src/store/database/database.ts';
import { bundle } from '../../../support/bundle.ts';
import {
  shellEnvironment,
  startRunsService,
  temporaryFolder,
} from '../../../support/runs-service.ts';

const isRoot = process.getuid?.() === 0;
const hasPrlimit = isInstalled('prlimit', process.env['PATH'] ?? '');
const nobody = 65_534;

async function runOf(script: string, more: Partial<ServiceEnvironment>, options = {}) {
  const service = await startRunsService({
    environments: [shellEnvironment(script, more)],
    ...options,
  });
  const id = await service.begin({ prompt: 'x' });
  const run = await service.until(id, 'SUCCEEDED', 'FAILED');
  const file = (name: string) =>
    readFileSync(join(service.dataDir, 'transcripts', id, name), 'utf8');
  return { service, id, run, file, message: run.status_message?.message ?? '' };
}

describe.skipIf(!isRoot)('a user of its own (skipped unless the tests run as root)', () => {
  function openFolder(): string {
    const dataDir = temporaryFolder();
    chmodSync(dataDir, 0o711);
    return dataDir;
  }

  it("owns the agent's files, and cannot read or write the service's files", async () => {
    const script = `id -u; id -G; cat "$AGENT_PROMPT_FILE"; echo; echo changed >> notes.txt; echo x > "$HOME/x"
      for place in transcripts mirrors observers work; do
        ls ../../../../$place >/dev/null 2>&1 && echo "saw $place"
      done; cat ../../../../service.db 2>/dev/null; touch ../../left 2>/dev/null && echo "wrote beside"; rm -rf ../../input 2>/dev/null; ls -d ../../input | wc -l`;
    const user = `${nobody}:${nobody}`;
    const setup = [['sh', '-c', 'echo "set up by $(id -u)"']];
    const dataDir = openFolder();
    const db = await openDatabase(`sqlite:${join(dataDir, 'service.db')}`);
    onTestFinished(() => db.destroy());
    const { run, file, message, service } = await runOf(script, { user, setup }, { dataDir, db });
    expect(message).toBe('');
    expect(run.state).toBe('SUCCEEDED');
    expect(file('output.log')).toBe(`set up by ${nobody}\n${nobody}\n${nobody}\nx\n1\n`);
    expect(file('changes.patch')).toContain('+changed');
    expect(readdirSync(join(service.dataDir, 'work'))).toEqual([]);
    const mirrors = join(service.dataDir, 'mirrors');
    for (const name of readdirSync(mirrors, { recursive: true, encoding: 'utf8' }))
      expect(statSync(join(mirrors, name)).uid, name).toBe(0);
    expect(readdirSync(join(service.dataDir, 'observers'))).toEqual([]);
  });

  it('can read a follow-up, but cannot redirect it with a link', async () => {
    const target = join(openFolder(), 'target');
    writeFileSync(target, 'untouched');
    const script = `if [ -n "$AGENT_FOLLOWUP" ]; then cat "$AGENT_PROMPT_FILE"; exit; fi
      ln -sf ${target} ../../input/prompt.txt; until [ -e ../../go ]; do sleep 0.02; done`;
    const user = `${nobody}:${nobody}`;
    const environments = [shellEnvironment(script, { user })];
    const service = await startRunsService({ environments, dataDir: openFolder() });
    const id = await service.begin({ prompt: 'x' });
    const prompt = join(service.dataDir, 'work', id, 'input', 'prompt.txt');
    await expect
      .poll(() => lstatSync(prompt, { throwIfNoEntry: false })?.isSymbolicLink(), {
        timeout: 10_000,
      })
      .toBe(true);
    await service.request(`/agent/runs/${id}/followups`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'more' }),
    });
    writeFileSync(join(service.dataDir, 'work', id, 'go'), '');
    expect((await service.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    const output = join(service.dataDir, 'transcripts', id, 'output.log');
    expect(readFileSync(output, 'utf8')).toBe('more');
    expect(readFileSync(target, 'utf8')).toBe('untouched');
  });

  it('needs a service that runs as root', () => {
    const ask = `import('${bundle('src/runs-service/execution/processes/identity.ts')}').then(({ findIdentity }) =>
      console.log(JSON.stringify([findIdentity('root'), findIdentity('${nobody}:${nobody}')])))`;
    const options = { uid: nobody, gid: nobody, encoding: 'utf8', cwd: '/' } as const;
    const [other, itself] = JSON.parse(execFileSync(process.execPath, ['-e', ask], options));
    expect(other.problem).toContain('must run as root to run commands as user "root"');
    expect(itself).toEqual({ uid: nobody, gid: nobody });
  });

  it('that does not exist is reported in the list of environments and by the run', async () => {
    const { service, message } = await runOf('true', { user: 'no-such-user' });
    expect(message).toContain('can\'t start: user "no-such-user" doesn\'t exist on this machine.');
    const listed = await (await service.request('/agent/environments')).text();
    expect(listed).toContain('no-such-user');
  });
});

describe.skipIf(!hasPrlimit)('a memory limit (skipped where there is no prlimit)', () => {
  const agent = `${process.execPath} -e 'Buffer.alloc(600e6, 1); console.log("had it")'`;

  it('stops an agent that needs more, but not one that needs less', async () => {
    const less = await runOf(agent, { memory_limit_mb: 2_000 });
    expect(less.file('output.log')).toBe('had it\n');
    const more = await runOf(agent, { memory_limit_mb: 500 });
    expect(more.run.state).toBe('FAILED');
    expect(more.file('output.log')).toMatch(/allocation failed/i);
  });

  it('names an agent that is not installed', async () => {
    const { message } = await runOf('', { memory_limit_mb: 500, command: ['no-such-agent'] });
    expect(message).toContain('"no-such-agent" isn\'t installed');
  });
});
