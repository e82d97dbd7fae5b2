import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from 'base/sleep';
import { onTestFinished } from 'vitest';
import { startPostgres } from '../packages/base/test/support/postgres-server.ts';
import { fill, makeReadOnly, mountSmallDisk } from '../packages/base/test/support/small-disk.ts';
import type { Strike } from './run-seed.ts';
import { type Drill, describeDrill } from './suite.ts';

const away = /the database can't be reached/;

/** Events that happen once, in addition to each seed's faults: what an operator practices, or handles at 3 a.m. */
const drills: readonly Drill[] = [
  {
    name: 'PostgreSQL is killed and starts again',
    database: 'PostgreSQL',
    replicas: 3,
    expected: away,
    async prepare() {
      const server = await startPostgres();
      onTestFinished(() => server.stop());
      return {
        databaseUrl: server.url,
        async strike() {
          server.kill();
          await sleep(5_000);
          await server.start();
        },
      };
    },
  },
  {
    name: 'a replica freezes for 30 seconds',
    database: 'PostgreSQL',
    replicas: 3,
    // PostgreSQL closed the replica's connections that were silent in a transaction.
    expected: away,
    prepare: async () => ({
      async strike({ replicas }) {
        replicas[0]?.signal('SIGSTOP');
        await sleep(30_000);
        replicas[0]?.signal('SIGCONT');
      },
    }),
  },
  {
    name: 'the disk of the database is full',
    database: 'SQLite',
    replicas: 1,
    expected: /full/,
    prepare: async () =>
      onSmallDisk(async (folder) => {
        const filler = fill(folder);
        await sleep(10_000);
        rmSync(filler);
      }),
  },
  {
    name: 'the file of the database is read-only after a restart',
    database: 'SQLite',
    replicas: 1,
    expected: /read-?only|ended alone/,
    prepare: async () =>
      onSmallDisk(async (folder, { replicas }) => {
        const end = makeReadOnly(folder);
        replicas[0]?.signal('SIGKILL');
        await sleep(10_000);
        end();
      }),
  },
  ...(['PostgreSQL', 'SQLite'] as const).map(
    (database): Drill => ({
      name: 'a new process starts while the old one runs',
      database,
      replicas: 1,
      expected: /^Stopp/,
      prepare: async () => ({
        async strike({ replicas: [old], another, untilConnected }) {
          another().start();
          await untilConnected(4);
          await old?.retire();
        },
      }),
    }),
  ),
];

/** Prepares a database on a small file system that nothing else uses. */
function onSmallDisk(strike: (folder: string, ...rest: Parameters<Strike>) => Promise<void>) {
  const folder = mountSmallDisk(64_000) ?? '';
  return {
    databaseUrl: `sqlite:${join(folder, 'bot.db')}`,
    strike: (...rest: Parameters<Strike>) => strike(folder, ...rest),
  };
}

for (const drill of drills) describeDrill(drill);
