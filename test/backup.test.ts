import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEncryption } from '../src/lib/secrets/encryption.ts';
import { openDatabase } from '../src/store/database/database.ts';
import { createServiceRuns } from '../src/store/service/runs/service-runs.ts';
import { bundle } from './support/bundle.ts';
import { startProgram, untilExit } from './support/program.ts';
import { temporaryFolder } from './support/runs-service.ts';
import { aServiceRun } from './support/service/service-run-builder.ts';

const key = randomBytes(32);
const otherKey = randomBytes(32);

describe('npm run backup and npm run restore', () => {
  const program = bundle('src/backup.ts');
  const run = (command: string, file: string, url: string, its = key) => {
    const environment = { DATABASE_URL: url, ENCRYPTION_KEY: its.toString('base64') };
    return untilExit(startProgram(program, environment, command, file));
  };

  /** A database that is still open, with a run in it. */
  async function fill() {
    const folder = temporaryFolder();
    const url = `sqlite:${join(folder, 'bot.db')}`;
    const db = await openDatabase(url, { encryption: createEncryption(key) });
    const { id } = await createServiceRuns(db).create(aServiceRun({ prompt: 'count the boats' }));
    return { folder, url, db, id, file: join(folder, 'backup.db') };
  }

  it('copies a database in use to a private file, and brings it back with its key', async () => {
    const { folder, url, db, id, file } = await fill();
    const saved = await run('backup', file, url);
    expect(saved).toMatchObject({ code: 0, output: expect.stringContaining('ENCRYPTION_KEY') });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await createServiceRuns(db).create(aServiceRun({ prompt: 'after the backup' }));
    await db.destroy();

    const restored = `sqlite:${join(folder, 'new', 'restored.db')}`;
    expect(await run('restore', file, restored)).toMatchObject({ code: 0 });
    expect(statSync(join(folder, 'new', 'restored.db')).mode & 0o777).toBe(0o600);
    const again = await openDatabase(restored, { encryption: createEncryption(key) });
    expect(await createServiceRuns(again).get(id)).toMatchObject({ prompt: 'count the boats' });
    const { count } = await again
      .selectFrom('service_runs')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(1);
    await again.destroy();
  });

  it('overwrite nothing, and leave nothing behind when they refuse', async () => {
    const { folder, url, db, file } = await fill();
    expect(await run('backup', file, url)).toMatchObject({ code: 0 });
    const target = join(folder, 'restored.db');
    const damaged = join(folder, 'damaged.db');
    writeFileSync(
      damaged,
      'not a database, but longer than the header of a database would be'.repeat(9),
    );
    const refused = [
      [await run('backup', file, url), 'exists. Nothing is overwritten'],
      [
        await run('backup', join(folder, 'x'), `sqlite:${join(folder, 'none.db')}`),
        'no database at',
      ],
      [await run('backup', file, 'postgres://127.0.0.1/bot'), 'pg_dump'],
      [await run('restore', file, url), 'exists. Nothing is overwritten'],
      [await run('restore', file, `sqlite:${target}`, otherKey), 'another key'],
      [await run('restore', damaged, `sqlite:${target}`), 'is damaged or no database'],
      [await run('restore', join(folder, 'none.db'), `sqlite:${target}`), 'There is no file'],
      [await run('move', file, url), 'Usage'],
    ] as const;
    for (const [{ code, output }, words] of refused) {
      expect(output).toContain(words);
      expect(output).not.toContain('    at ');
      expect(code).toBe(1);
    }
    expect(existsSync(target)).toBe(false);
    await db.destroy();
    const left = readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name));
    expect(left.sort()).toEqual(['backup.db', 'bot.db', 'damaged.db']);
  });
});
