import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import Sqlite from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type Disk,
  groupCommitDialect,
  type SyncDatabase,
} from '../../../src/store/sqlite/group-commit.ts';
import { noDisk } from '../../../src/store/sqlite/wal-disk.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

type Schema = { notes: { id: number; words: string }; others: { id: number } };

/** A file with one table, and everything that was executed besides statements. */
async function openNotes(changes: Partial<SyncDatabase> = {}, disk: Disk = noDisk) {
  const file = join(temporaryFolder(), 'notes.db');
  const real = new Sqlite(file);
  const executed: string[] = [];
  const database: SyncDatabase = {
    prepare: (text) => real.prepare(text),
    close: () => real.close(),
    get inTransaction() {
      return real.inTransaction;
    },
    ...changes,
    exec(text) {
      executed.push(text);
      return (changes.exec ?? ((each: string) => real.exec(each)))(text);
    },
  };
  real.exec('create table notes (id integer primary key, words text)');
  const db = new Kysely<Schema>({ dialect: groupCommitDialect(database, disk) });
  onTestFinished(() => db.destroy());
  const write = (id: number) => db.insertInto('notes').values({ id, words: 'go' }).execute();
  const ids = async () => (await db.selectFrom('notes').select('id').execute()).map(({ id }) => id);
  const commits = () => executed.filter((text) => text === 'commit').length;
  /** What another process would find. */
  const onDisk = () => {
    const other = new Sqlite(file);
    const rows = other.prepare('select id from notes').all() as { id: number }[];
    other.close();
    return rows.map(({ id }) => id);
  };
  return { db, real, write, ids, commits, onDisk };
}

describe('writes to SQLite in one turn', () => {
  it('share a commit and are answered after it', async () => {
    const { write, commits, onDisk } = await openNotes();
    const seen: number[][] = [];
    await Promise.all([1, 2, 3].map((id) => write(id).then(() => seen.push(onDisk()))));
    expect(commits()).toBe(1);
    expect(seen).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    await write(4);
    expect(commits()).toBe(2);
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

  it('are read only after the commit', async () => {
    const { write, ids, onDisk } = await openNotes();
    const writing = write(1);
    const [read, stored] = await ids().then((found) => [found, onDisk()]);
    expect(read).toEqual(stored);
    await writing;
    expect(await ids()).toEqual([1]);
  });

  it('fail together if the commit fails, and later writes work', async () => {
    const faults = ['disk full'];
    let real: Sqlite.Database | undefined;
    const notes = await openNotes({
      exec(text) {
        const fault = text === 'commit' ? faults.pop() : undefined;
        if (fault) throw new Error(fault);
        return real?.exec(text);
      },
    });
    real = notes.real;
    const settled = await Promise.allSettled([notes.write(1), notes.write(2), notes.ids()]);
    expect(settled.map((each) => each.status)).toEqual(['rejected', 'rejected', 'rejected']);
    await notes.write(3);
    expect(notes.onDisk()).toEqual([3]);
  });
});

/** A disk that is at work until it is told that it has finished, or failed. */
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
/** Longer than anything takes that need not wait for the disk. */
const aWhile = async () => {
  for (let turns = 0; turns < 20; turns += 1) await immediate();
};

describe('during a flush', () => {
  it("writers wait, and others don't", async () => {
    const { disk, turn } = slowDisk();
    const { write, ids } = await openNotes({}, disk);
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

  it('a reader waits for the commit of what they may have seen', async () => {
    const { disk, turn } = slowDisk();
    const { write, ids, onDisk } = await openNotes({}, disk);
    const writing = write(1);
    const reading = ids().then((found) => [found, onDisk()]);
    const first = await turn(1);
    expect(await reading).toEqual([[1], [1]]);
    first?.finish();
    await writing;
  });

  it("a reader of another table doesn't wait", async () => {
    const { disk, turn } = slowDisk();
    const { db, real, write, ids } = await openNotes({}, disk);
    real.exec('create table others (id integer primary key)');
    const before = write(1);
    const first = await turn(1);
    const meanwhile = write(2);
    expect(await db.selectFrom('others').selectAll().execute()).toEqual([]);
    let isAnswered = false;
    const reading = ids().then(() => {
      isAnswered = true;
    });
    await aWhile();
    expect(isAnswered).toBe(false);
    first?.finish();
    (await turn(2))?.finish();
    await Promise.all([before, meanwhile, reading]);
  });

  it('new writes share the next flush, which begins after this one', async () => {
    const { disk, turn, begun } = slowDisk();
    const { write, commits } = await openNotes({}, disk);
    const before = write(1);
    const first = await turn(1);
    const meanwhile = [write(2)];
    await aWhile();
    meanwhile.push(write(3));
    await aWhile();
    expect([commits(), begun()]).toEqual([1, 1]);
    first?.finish();
    await before;
    (await turn(2))?.finish();
    await Promise.all(meanwhile);
    expect([commits(), begun()]).toEqual([2, 2]);
  });

  it('a transaction commits, and waits for a flush that begins after its commit', async () => {
    const { disk, turn, begun } = slowDisk();
    const { db, write } = await openNotes({}, disk);
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
    const { write } = await openNotes({}, disk);
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
    const refused = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('notes').values({ id: 2, words: 'never' }).execute();
      const meanwhile = write(3);
      await new Promise((resolve) => setImmediate(resolve));
      expect(onDisk()).toEqual([1]);
      throw Object.assign(new Error('changed my mind'), { meanwhile: [meanwhile] });
    });
    const { meanwhile } = (await refused.catch((error: unknown) => error)) as {
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
