import { type RawBuilder, sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { tablesWith } from '../../../packages/base/test/support/tables-with.ts';
import { createWorkspaceRemoval } from '../../../src/store/people/workspace-data.ts';
import type { Db } from '../../../src/store/schema.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const time = 2_000;

describeOnDatabase('the data of a workspace', (db) => {
  const removal = () => createWorkspaceRemoval(db());

  beforeEach(async () => {
    for (const name of await tables(db())) await sql`delete from ${sql.table(name)}`.execute(db());
    for (const teamId of ['T1', 'T2']) await addRows(db(), teamId);
    await setRemoved(db(), 'T1', 1_000);
    await setRemoved(db(), 'T2', null);
  });

  async function removeAll(teamId: string) {
    const found = await removal().requests(teamId, 10);
    const ids = found.map(({ id }) => id);
    const count = await removal().removeRequests(teamId, time, ids);
    await removal().removeRest(teamId, time);
    return count;
  }

  it('is deleted in every table but the audit log, and nothing of another workspace', async () => {
    expect(await removal().removedBefore(time)).toEqual(['T1']);
    expect(await removeAll('T1')).toBe(1);
    expect(await tablesWithRows(db(), 'T1')).toEqual(['audit_entries']);
    expect(await tablesWithRows(db(), 'T2')).toEqual(await tables(db()));
  });

  it.each([
    ['it has the app again', null],
    ['it removed the app later', 3_000],
  ])('stays if %s', async (_, removedAt) => {
    await setRemoved(db(), 'T1', removedAt);
    expect(await removal().removedBefore(time)).toEqual([]);
    expect(await removeAll('T1')).toBe(0);
    expect(await tablesWithRows(db(), 'T1')).toEqual(await tables(db()));
  });
});

const setRemoved = (db: Db, teamId: string, at: number | null) =>
  db
    .updateTable('workspaces')
    .set({ removed_at: at, is_active: at === null ? 1 : 0 })
    .where('team_id', '=', teamId)
    .execute();

const tables = (db: Db) => tablesWith(db, 'team_id');

/** Adds one row to each table. */
async function addRows(db: Db, teamId: string): Promise<void> {
  const names = await tables(db);
  for (const { name, columns } of await db.introspection.getTables()) {
    if (!names.includes(name)) continue;
    const needed = columns.filter(
      (each) => /^(team_)?id$/.test(each.name) || (!each.isNullable && !each.hasDefaultValue),
    );
    const values = needed.map(({ name: column, dataType }): RawBuilder<unknown> => {
      if (column === 'team_id') return sql`${teamId}`;
      const isNumber = /int/i.test(dataType);
      return isNumber ? sql`1` : sql`${column === 'id' ? `${name} ${teamId}` : `a ${teamId}`}`;
    });
    await sql`insert into ${sql.table(name)} (${sql.join(needed.map((each) => sql.ref(each.name)))})
      values (${sql.join(values)}) on conflict do nothing`.execute(db);
  }
}

async function tablesWithRows(db: Db, teamId: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await tables(db)) {
    const { rows } = await sql`select 1 from ${sql.table(name)}
      where team_id = ${teamId}`.execute(db);
    if (rows.length > 0) found.push(name);
  }
  return found;
}
