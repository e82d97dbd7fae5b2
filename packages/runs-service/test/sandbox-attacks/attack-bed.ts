import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished } from 'vitest';
import { bundle } from '../../../base/test/support/bundle.ts';
import type { ServiceEnvironment } from '../../src/environments/environments.ts';
import { runningProcesses } from '../support/running-processes.ts';
import { clientOf, createRepository, temporaryFolder } from '../support/runs-service.ts';
import { type Attack, makeSubmodule, type Targets } from './attacks.ts';
import { withServiceKey } from './call-attacks.ts';

/** Environment whose agent runs the script on its standard input. */
type BedEnvironment = Partial<ServiceEnvironment> & { id: string };

/** Result of an attack in one environment. */
export type Outcome = { worked: boolean; output: string; message: string | undefined };

const serviceSecret = 'secret-of-the-service-process';
const homeSecret = 'secret-of-the-operator';
const otherSecret = 'secret-of-another-run';

/** Starts a service in its own process, with an active run and everything that an attack needs as a target. */
export async function startAttackBed(environments: BedEnvironment[]) {
  const dataDir = temporaryFolder();
  const url = repositoryWithSubmodule();
  const shared = { repositories: [{ url }], command: ['sh'] };
  const other = { id: 'other', isolation: 'none', ...shared, variables: { KEY: otherSecret } };
  const all = [...environments.map((each) => ({ ...shared, ...each })), other];
  writeFileSync(join(dataDir, 'environments.json'), JSON.stringify(all));
  const homeFile = join(temporaryFolder(), '.token');
  writeFileSync(homeFile, homeSecret, { mode: 0o600 });
  const shm = `/dev/shm/slash-agent-test-${process.pid}`;
  writeFileSync(shm, homeSecret);
  onTestFinished(() => rmSync(shm, { force: true }));
  const socketFolder = temporaryFolder();
  const [socket, abstractSocket] = [join(socketFolder, 's'), `slash-agent-${process.pid}`];
  const server = await listening(0);
  await listening(socket);
  await listening(`\0${abstractSocket}`);
  const service = await startService(dataDir);
  // Duration that only this bed uses, because other beds on this machine also sleep.
  const otherSleep = `sleep 10${service.child.pid}`;
  const otherId = await service.begin({
    prompt: `echo "${otherSecret}"; ${otherSleep}`,
    config: { environment_id: 'other' },
  });
  await service.until(otherId, 'INPROGRESS');
  const transcript = join(dataDir, 'transcripts', otherId, 'output.log');
  const findOther = () => runningProcesses().find(({ command }) => command === otherSleep)?.pid;
  const hasWritten = () =>
    existsSync(transcript) && readFileSync(transcript, 'utf8').includes(otherSecret);
  await expect.poll(hasWritten).toBe(true);
  await expect.poll(findOther).toBeDefined();
  const address = server.address();
  const targets = {
    dataDir,
    serviceSecret,
    homeFile,
    homeSecret,
    otherSecret,
    socket,
    abstractSocket,
    servicePid: service.child.pid ?? 0,
    otherPid: findOther() ?? 0,
    otherRunDir: join(dataDir, 'work', otherId),
    port: typeof address === 'object' && address ? address.port : 0,
  };
  let count = 0;

  return {
    /** Runs all attacks in one run of this environment. */
    async attempt(attacks: readonly Attack[], environmentId: string): Promise<Outcome[]> {
      const aimed = attacks.map((attack) => {
        const outside = temporaryFolder();
        count += 1;
        const seconds = 4_000_000 + process.pid * 100 + count;
        const script = attack.script({ ...targets, outside, seconds } satisfies Targets);
        return { attack, outside, seconds, script };
      });
      const prompt = aimed
        .map(({ seconds, script }) => `echo started ${seconds}\n(${script}\n) </dev/null`)
        .join('\n');
      const id = await service.begin({ prompt, config: { environment_id: environmentId } });
      const run = await service.until(id, 'SUCCEEDED', 'FAILED');
      const printed = readFileSync(join(dataDir, 'transcripts', id, 'output.log'), 'utf8');
      // Read the processes only once. This thread answers nothing meanwhile, and the service closes idle connections
      // after five seconds.
      const processes = runningProcesses();
      return aimed.map(({ attack, outside, seconds }) => {
        const [, after] = printed.split(`started ${seconds}\n`);
        // Check that the script reached its end, because a sandbox that lets nothing start would pass.
        if (after === undefined)
          throw new Error(`"${attack.name}" didn't start: ${run.status_message?.message}`);
        const output = after.split(/^started \d+$/m)[0] ?? '';
        const left = processes.filter(
          ({ command }) => command.includes(`sleep ${seconds}`) || command.includes(outside),
        );
        for (const { pid } of left) process.kill(pid, 'SIGKILL');
        const changed = join(dataDir, `pwned-${seconds}`);
        const isChanged = existsSync(changed);
        rmSync(changed, { force: true });
        const worked =
          isChanged ||
          output.includes('PWNED') ||
          readdirSync(outside).length > 0 ||
          left.length > 0;
        return { worked, output, message: run.status_message?.message };
      });
    },
    request: service.request,
  };
}

function repositoryWithSubmodule(): string {
  const url = createRepository({ 'notes.txt': 'one\n' });
  const other = temporaryFolder();
  execFileSync('sh', ['-c', makeSubmodule], { cwd: other });
  const run = (cwd: string, args: string[]) =>
    execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();
  const commit = run(other, ['rev-parse', 'HEAD']);
  run(url, ['update-index', '--add', '--cacheinfo', `160000,${commit},sub`]);
  run(url, ['-c', 'user.name=T', '-c', 'user.email=t@localhost', 'commit', '-qm', 'x']);
  return url;
}

async function listening(where: number | string): Promise<Server> {
  const server = createServer((socket) => {
    // Ignore errors, because attacks close connections without reading.
    socket.on('error', () => socket.destroy()).end('HTTP/1.0 200 OK\r\n\r\nPWNED\n');
  });
  if (typeof where === 'number') server.listen(where, '127.0.0.1');
  else server.listen(where);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return server;
}

async function startService(dataDir: string) {
  const program = bundle('packages/runs-service/test/support/service/service-process.ts');
  const [keyed = '', ...more] = withServiceKey;
  const child: ChildProcess = spawn(keyed, [...more, process.execPath, program, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SLACK_BOT_TOKEN: serviceSecret },
  });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  if (!child.stdout) throw new Error('the service has no output');
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, ...clientOf(url) };
}
