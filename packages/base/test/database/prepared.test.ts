import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openTestDatabase } from '../../../../test/support/database/databases.ts';
import { prepare, prepareEach } from '../../src/database/prepared.ts';

type Wanted = { id: string; before: number; title: string | null };

describe('a statement that is compiled once', async () => {
  const db = await openTestDatabase('sqlite::memory:');
  const build = ({ id, before, title }: Wanted) =>
    db
      .updateTable('requests')
      .set({ title: title ?? '', failures: 3 })
      .where('id', 'in', [id, 'always'])
      .where('accepted_at', '<', before);

  it('has the values of each call as Kysely would have them', () => {
    const update = prepare(build);
    for (const values of [
      { id: 'a', before: 1, title: 'first' },
      { id: "b'; drop table requests", before: 2, title: 'second' },
    ]) {
      const { sql, parameters } = build(values).compile();
      expect(update(values)).toMatchObject({ sql, parameters });
    }
  });

  it('is built at the first call only', () => {
    let built = 0;
    const update = prepare((values: Wanted) => {
      built += 1;
      return build(values);
    });
    const [one, other] = [1, 2].map((before) => update({ id: 'a', before, title: 't' }));
    expect(built).toBe(1);
    expect(one?.parameters).not.toEqual(other?.parameters);
  });

  it('is built for each set of values once, or each time with a part of a statement', () => {
    let built = 0;
    const update = prepareEach((values: { id: string }) => {
      const { id, ...columns } = values;
      built += 1;
      return db.updateTable('requests').set(columns).where('id', '=', id);
    });
    const compiled = [
      { id: 'a', title: 'first' },
      { id: 'b', title: 'second' },
      { id: 'c', failures: 3 },
      { id: 'd', failures: sql`failures + 1` },
      { id: 'e', failures: sql`failures + 2` },
    ].map((values) => update(values));
    expect(built).toBe(4);
    expect(compiled.map((each) => [each.sql, each.parameters])).toEqual([
      ['update "requests" set "title" = ? where "id" = ?', ['first', 'a']],
      ['update "requests" set "title" = ? where "id" = ?', ['second', 'b']],
      ['update "requests" set "failures" = ? where "id" = ?', [3, 'c']],
      ['update "requests" set "failures" = failures + 1 where "id" = ?', ['d']],
      ['update "requests" set "failures" = failures + 2 where "id" = ?', ['e']],
    ]);
  });
});
