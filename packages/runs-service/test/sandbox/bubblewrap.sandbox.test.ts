import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createLogger } from 'base/logger';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ServiceEnvironment } from '../../src/environments/environments.ts';
import { findCgroups } from '../../src/sandbox/command-limits.ts';
import { removeFolder } from '../../src/sandbox/deletion/remove-folder.ts';
import { runTool } from '../../src/sandbox/run-tool.ts';
import { createSandboxes } from '../../src/sandbox/sandboxes.ts';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';

const isRoot = process.getuid?.() === 0;
const hasGroups = findCgroups()?.limits.includes('processes') === true;

async function start(script: string, more: Partial<ServiceEnvironment> = {}, options = {}) {
  const environment = shellEnvironment(script, { isolation: 'bubblewrap', ...more });
  const service = await startRunsService({ environments: [environment], ...options });
  const outcome = async (body: object = { prompt: 'x' }) => {
    const id = await service.begin(body);
    const run = await service.until(id, 'SUCCEEDED', 'FAILED', 'CANCELLED');
    const folder = join(service.dataDir, 'transcripts', id);
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    return { id, run, message: run.status_message?.message ?? '', read };
  };
  return { service, outcome };
}

describe('behind bubblewrap, a run', () => {
  it('reads its prompt, commits, and has its changes saved', async () => {
    const { service, outcome } = await start(
      'cat; cat "$AGENT_PROMPT_FILE" >> notes.txt; git log --format=%s; touch "$HOME/x" "$TMPDIR/y" /tmp/z',
    );
    const { run, read } = await outcome({ prompt: 'hello' });
    expect(run.state).toBe('SUCCEEDED');
    expect(read('output.log')).toBe('helloBegin\n');
    expect(read('changes.patch')).toContain('+hello');
    expect(readdirSync(join(service.dataDir, 'work'))).toEqual([]);
  });

  it('keeps the result of its setup, and is deleted even without the right to enter its folders', async () => {
    const { service, outcome } = await start(
      'cat "$HOME/made"; mkdir -p a/b; chmod 0 a; cd ../..; chmod 0 repo/*; chmod 0 repo; chmod 0 .',
      {
        setup: [['sh', '-c', 'date +%N > "$HOME/made"']],
      },
    );
    const [first, second] = [await outcome(), await outcome()];
    expect([first.run.state, second.run.state]).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    expect(second.read('output.log')).toBe(first.read('output.log'));
    expect(readdirSync(join(service.dataDir, 'work'))).toEqual([]);
  });

  it('is deleted even if no temporary file can be made, such as on a full disk', async () => {
    const dataDir = temporaryFolder();
    const folder = join(dataDir, 'work');
    mkdirSync(join(folder, 'a'), { recursive: true });
    const path = process.env['PATH'] ?? '';
    const sandboxes = createSandboxes({ dataDir, path, logger: createLogger('silent') });
    vi.stubEnv('TMPDIR', join(dataDir, 'none'));
    onTestFinished(() => void vi.unstubAllEnvs());
    const { signal } = new AbortController();
    const sandbox = sandboxes.open(
      { isolation: 'bubblewrap' },
      { runId: 'r', folder, isOffline: true },
    );
    await removeFolder(sandbox, folder, { path, signal });
    expect(existsSync(folder)).toBe(false);
  });

  it('has limits also for the programs that read what it wrote, which can run its git filters', async () => {
    const folder = temporaryFolder();
    const path = process.env['PATH'] ?? '';
    const sandboxes = createSandboxes({ dataDir: folder, path, logger: createLogger('silent') });
    const environment = {
      isolation: 'bubblewrap',
      limits: { memory_mb: 700, disk_mb: 50 },
    } as const;
    const { run } = sandboxes.open(environment, { runId: 'r', folder, isOffline: true });
    const options = { cwd: folder, variables: { PATH: path }, timeoutMs: 300_000 };
    const { output } = await runTool(run, ['sh', '-c', 'ulimit -d; ulimit -f'], options);
    expect(output).toBe(`${700 * 1024}\nunlimited`);
  });

  it('continues the changes of the run before it', async () => {
    const { outcome } = await start('echo more >> notes.txt; cat notes.txt');
    const { run } = await outcome();
    const second = await outcome({ prompt: 'x', conversation_id: run.conversation_id });
    expect(second.read('output.log')).toBe('one\ntwo\nmore\nmore\n');
  });

  it('says how its agent ended', async () => {
    const ended = async (script: string, more = {}) =>
      (await (await start(script, more)).outcome()).message;
    expect(await ended('echo bad >&2; exit 3')).toBe('bad\n(The agent exited with code 3.)');
    expect(await ended('kill -SEGV $$')).toContain('killed by SIGSEGV');
    expect(await ended('', { command: ['no-such-agent'] })).toContain(
      '"no-such-agent" isn\'t installed',
    );
    expect(await ended('sleep 1000', { time_limit_seconds: 0.5 })).toContain('time limit of');
  });

  it('gets SIGTERM and time to end when it is canceled', async () => {
    const { service } = await start(
      `trap 'echo ending; exit 0' TERM; echo ready; while :; do sleep 0.1; done`,
      {},
      { killGraceMs: 300_000 },
    );
    const id = await service.begin({ prompt: 'x' });
    await service.printed(id, 'ready');
    await service.request(`/agent/runs/${id}/cancel`, { method: 'POST' });
    await service.until(id, 'CANCELLED');
    await service.printed(id, 'ending');
  });

  it('reaches the network through the proxy only, and not this machine', async () => {
    const { service, outcome } = await start('');
    const port = new URL(service.service.url).port;
    const fetch = `curl -s --noproxy '' http://127.0.0.1:${port}/healthz; echo; curl -s --noproxy '*' http://127.0.0.1:${port}/healthz || echo none`;
    const { read } = await (await start(fetch, { network: [`*:${port}`] })).outcome();
    expect(read('output.log')).toBe(
      `127.0.0.1:${port} has an address of this machine or network, which agents can't reach\n\nnone\n`,
    );
    const open = await (
      await start(fetch.replace("--noproxy ''", ''), { network: 'all' })
    ).outcome();
    expect(open.read('output.log')).not.toContain('none');
    expect((await outcome()).message).toBe('');
  });

  it('that fails says which addresses it could not reach, even if its agent is silent', async () => {
    const ended = async (script: string, more: Partial<ServiceEnvironment>) =>
      (await (await start(script, more)).outcome()).message;
    const silent = 'curl -s https://api.test/; curl -s http://api.test:8444/ > /dev/null; exit 3';
    const network = ['other.test', 'api.test:443', '*.api.test'];
    expect(await ended(silent, { network })).toBe(
      [
        'The agent exited with code 3 and printed nothing.',
        "It couldn't reach api.test:443, which can't be found (getaddrinfo ENOTFOUND api.test).",
        "It couldn't reach api.test:8444, which isn't in the environment's \"network\", where a host without a port is for 80 and 443.",
      ].join('\n'),
    );
    const waiting = 'curl -s https://api.test/; sleep 1000';
    expect(await ended(waiting, { network: ['other.test'], time_limit_seconds: 5 })).toContain(
      "reached its time limit of 5s.\nIt couldn't reach api.test:443, which isn't in the environment's \"network\".",
    );
    expect(await ended('curl -s https://api.test/; exit 0', { network })).toBe('');
  });

  it('sees a folder of the operator if its environment shows it', async () => {
    const folder = temporaryFolder();
    const script = `touch ${folder}/new && echo written; ls -d ${folder}`;
    const output = async (more: object) =>
      (await (await start(script, more)).outcome()).read('output.log');
    expect(await output({ writable: [folder] })).toBe(`written\n${folder}\n`);
    expect(await output({ read_only: [folder] })).toContain('Read-only file system');
    const gone = await (await start('true', { read_only: ['/no/such/folder'] })).outcome();
    expect(gone.message).toContain("can't start: bubblewrap doesn't work");
  });

  it("isn't started if its agent is hidden, and starts with the folders that the reason names", async () => {
    const [links, nvm] = [temporaryFolder(), temporaryFolder()];
    const script = '#!/usr/bin/env an-interpreter\n';
    const folders = ['bin', 'lib/node_modules/an-agent'];
    for (const name of folders) mkdirSync(join(nvm, name), { recursive: true });
    writeFileSync(join(nvm, 'lib/node_modules/an-agent/cli'), script, { mode: 0o755 });
    writeFileSync(join(nvm, 'bin/an-interpreter'), '#!/bin/sh\necho found', { mode: 0o755 });
    symlinkSync('../lib/node_modules/an-agent/cli', join(nvm, 'bin/an-agent'));
    symlinkSync(join(nvm, 'bin/an-agent'), join(links, 'an-agent'));
    const path = `${links}:${nvm}/bin:${process.env['PATH']}`;
    const more = { command: ['an-agent'] };
    const hidden = await start('', more, { path });
    const { message, read } = await hidden.outcome();
    expect(message).toContain('can\'t start: bubblewrap hides folders that "an-agent" needs');
    expect(() => read('output.log')).toThrow('ENOENT');
    const listed = (await (await hidden.service.request('/agent/environments')).json()) as {
      environments: { problem: string }[];
    };
    const named = /read_only: \[(.*)\]$/.exec(listed.environments[0]?.problem ?? '')?.[1];
    const read_only = named?.split(', ');
    expect(read_only).toEqual([links, nvm]);
    const shown = await start('', { ...more, ...(read_only && { read_only }) }, { path });
    expect((await shown.outcome()).read('output.log')).toBe('found\n');
  });

  it("isn't started if a program of its setup is missing, and says what is", async () => {
    const missing = await start('true', { setup: [['no-such-setup']] });
    expect((await missing.outcome()).message).toContain(
      'can\'t start: "no-such-setup" isn\'t installed',
    );
    const more = {
      command: ['./made'],
      setup: [['sh', '-c', 'echo "echo made" > made; chmod +x made']],
    };
    expect((await (await start('', more)).outcome()).read('output.log')).toBe('made\n');
  });

  it('is stopped when it uses more memory or disk than its environment allows', async () => {
    const agent = `node -e 'Buffer.alloc(600e6, 1); console.log("had it")'`;
    const memory = async (memory_mb: number) =>
      (await (await start(agent, { limits: { memory_mb } })).outcome()).read('output.log');
    expect(await memory(2_000)).toBe('had it\n');
    expect(await memory(500)).toMatch(/allocation failed/i);
    const filling = 'n=0; while :; do head -c 5000000 /dev/zero > f$n; n=$((n+1)); sleep 0.1; done';
    const disk = await (await start(filling, { limits: { disk_mb: 20 } })).outcome();
    expect(disk.message).toContain('used more than 20 MB of disk');
    const hiding =
      'mkdir d; for n in 1 2; do head -c 15000000 /dev/zero > d/$n; done; chmod 0 d; sleep 15';
    const hidden = await (await start(hiding, { limits: { disk_mb: 20 } })).outcome();
    expect(hidden.message).toContain('used more than 20 MB of disk');
    const large = 'head -c 50000000 /dev/zero > f; wc -c < f';
    const single = await (await start(large, { limits: { disk_mb: 20 } })).outcome();
    expect(single.read('output.log')).toContain(String(20 * 1024 * 1024));
  });

  it('cannot start more processes than allowed, which Linux does not limit for root without a cgroup', async () => {
    const bomb =
      'for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32; do sleep 5 & done; wait';
    const { message, read } = await (await start(bomb, { limits: { processes: 30 } })).outcome();
    if (isRoot && !hasGroups) expect(message).toContain('Run it as another user');
    else expect(read('output.log')).toMatch(/cannot fork|Resource temporarily unavailable/i);
  });
});
