import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import Sqlite from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Disk, FlushedSqliteDialect } from '../../../src/database/sqlite/flushed-sqlite.ts';
import { noDisk } from '../../../src/database/sqlite/wal-disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type Schema = { notes: { id: number; words: string } };

async function openNotes(disk: Disk = noDisk) {
  const file = join(temporaryFolder(), 'notes.db');
  const real = new Sqlite(file);
  real.exec('create table notes (id integer primary key, words text)');
  const db = new Kysely<Schema>({ dialect: new FlushedSqliteDialect(real, disk) });
  onTestFinished(() => db.destroy());
  const write = (id: number) => db.insertInto('notes').values({ id, words: 'go' }).execute();
  const ids = async () => (await db.selectFrom('notes').select('id').execute()).map(({ id }) => id);
  /** Reads the IDs that another process would find in the file. */
  const onDisk = () => {
    const other = new Sqlite(file);
    const rows = other.prepare('select id from notes').all() as { id: number }[];
    other.close();
    return rows.map(({ id }) => id);
  };
  return { db, real, write, ids, onDisk };
}

describe('writes to SQLite in one turn', () => {
  it('are committed when they are answered', async () => {
    const { write, onDisk } = await openNotes();
    await Promise.all([1, 2, 3].map((id) => write(id).then(() => expect(onDisk()).toContain(id))));
    expect(onDisk()).toEqual([1, 2, 3]);
  });

  it('fail alone', async () => {
    const { write, onDisk } = await openNotes();
    const [first, again, other] = await Promise.allSettled([write(1), write(1), write(2)]);
    expect([first.status, again.status, other.status]).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(onDisk()).toEqual([1, 2]);
  });
});

/** Creates a disk that fails every write with this code. */
const failingDisk = (code: string): Disk => ({
  flush: () => Promise.reject(Object.assign(new Error(code), { code })),
  close: async () => undefined,
});

describe('on a full disk', () => {
  it('a write is undone, alone and in a transaction, and reads work', async () => {
    const { db, real, write, ids } = await openNotes();
    real.exec('pragma max_page_count=2');
    const words = 'long '.repeat(2_000);
    const fills = db.insertInto('notes').values({ id: 1, words });
    const undone = { name: 'StoreUnavailable', outcome: 'undone' };
    await expect(fills.execute()).rejects.toMatchObject(undone);
    const inTransaction = db.transaction().execute(async (trx) => {
      await trx.insertInto('notes').values({ id: 2, words: 'short' }).execute();
      await trx.insertInto('notes').values({ id: 3, words }).execute();
    });
    await expect(inTransaction).rejects.toMatchObject(undone);
    expect(await ids()).toEqual([]);
    await write(4);
    expect(await ids()).toEqual([4]);
  });

  it('nobody knows whether a commit that could not be flushed is kept', async () => {
    const { write } = await openNotes(failingDisk('ENOSPC'));
    const unknown = { name: 'StoreUnavailable', outcome: 'unknown' };
    await expect(write(1)).rejects.toMatchObject(unknown);
  });
});

/** Creates a disk whose flushes last until the test ends or fails them. */
function slowDisk() {
  const turns: { finish(): void; fail(error: Error): void }[] = [];
  const disk: Disk = {
    flush: () => new Promise((resolve, fail) => turns.push({ finish: () => resolve(), fail })),
    close: async () => undefined,
  };
  const turn = async (number: number) => {
    while (turns.length < number) await immediate();
    return turns[number - 1];
  };
  return { disk, turn, begun: () => turns.length };
}

const immediate = () => new Promise((resolve) => setImmediate(resolve));
/** Waits longer than anything that doesn't need the disk. */
const aWhile = async () => {
  for (let turns = 0; turns < 20; turns += 1) await immediate();
};

describe('during a flush', () => {
  it("writers wait, and others don't", async () => {
    const { disk, turn } = slowDisk();
    const { write, ids } = await openNotes(disk);
    let isAnswered = false;
    const writing = write(1).then(() => {
      isAnswered = true;
    });
    const first = await turn(1);
    expect(await ids()).toEqual([1]);
    await aWhile();
    expect(isAnswered).toBe(false);
    first?.finish();
    await writing;
  });

  it('new writes share the next flush, which begins after this one', async () => {
    const { disk, turn, begun } = slowDisk();
    const { write } = await openNotes(disk);
    const before = write(1);
    const first = await turn(1);
    const meanwhile = [write(2)];
    await aWhile();
    meanwhile.push(write(3));
    await aWhile();
    expect(begun()).toBe(1);
    first?.finish();
    await before;
    (await turn(2))?.finish();
    await Promise.all(meanwhile);
    expect(begun()).toBe(2);
  });

  it('a transaction commits, and waits for a flush that begins after its commit', async () => {
    const { disk, turn, begun } = slowDisk();
    const { db, write } = await openNotes(disk);
    const before = write(1);
    const first = await turn(1);
    let isAnswered = false;
    const asked = db
      .transaction()
      .execute((transaction) =>
        transaction.insertInto('notes').values({ id: 2, words: 'go' }).execute(),
      )
      .then(() => {
        isAnswered = true;
      });
    await aWhile();
    first?.finish();
    await before;
    const second = await turn(2);
    await aWhile();
    expect(isAnswered).toBe(false);
    second?.finish();
    await asked;
    expect(begun()).toBe(2);
  });

  it('that fails, all its writes fail, and later writes work', async () => {
    const { disk, turn } = slowDisk();
    const { write } = await openNotes(disk);
    const settled = Promise.allSettled([write(1), write(2)]);
    (await turn(1))?.fail(new Error('I/O error'));
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const later = write(3);
    (await turn(2))?.finish();
    await later;
  });
});

describe('an explicit transaction', () => {
  it("makes other writes wait, and doesn't roll them back", async () => {
    const { db, write, onDisk } = await openNotes();
    const before = write(1);
    const rejected = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('notes').values({ id: 2, words: 'never' }).execute();
      const meanwhile = write(3);
      await new Promise((resolve) => setImmediate(resolve));
      expect(onDisk()).toEqual([1]);
      throw Object.assign(new Error('changed my mind'), { meanwhile: [meanwhile] });
    });
    const { meanwhile } = (await rejected.catch((error: unknown) => error)) as {
      meanwhile: Promise<unknown>[];
    };
    await Promise.all([before, ...meanwhile]);
    expect(onDisk()).toEqual([1, 3]);
  });

  it('runs alone', async () => {
    const { db, ids } = await openNotes();
    const addNext = () =>
      db.transaction().execute(async (transaction) => {
        const found = await transaction
          .selectFrom('notes')
          .select(({ fn }) => fn.max('id').as('last'))
          .executeTakeFirst();
        await transaction
          .insertInto('notes')
          .values({ id: Number(found?.last ?? 0) + 1, words: 'next' })
          .execute();
      });
    await Promise.all([addNext(), addNext(), addNext()]);
    expect(await ids()).toEqual([1, 2, 3]);
  });

  it('and a schema change see what was written in the same turn', async () => {
    const { db, write, ids } = await openNotes();
    const writing = write(1);
    await sql`alter table notes add column more text`.execute(db);
    await writing;
    expect(await ids()).toEqual([1]);
  });
});
