import type { Db } from '../schema.ts';

export type RunCreators = ReturnType<typeof createRunCreators>;

type RunCreator = { value: string; name: string };

const mostListed = 1_000;
/** A known creator isn't written again within this time. */
const freshMs = 60 * 60_000;

/** People who start runs outside of Slack: `value` identifies them, `name` is for people. */
export function createRunCreators(db: Db) {
  return {
    async note(teamId: string, creators: readonly RunCreator[], now: number): Promise<void> {
      if (creators.length === 0) return;
      const rows = creators.map(({ value, name }) => ({
        team_id: teamId,
        value,
        name,
        seen_at: now,
      }));
      await db
        .insertInto('run_creators')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .columns(['team_id', 'value'])
            .doUpdateSet((update) => ({
              name: update.ref('excluded.name'),
              seen_at: update.ref('excluded.seen_at'),
            }))
            .where((where) =>
              where.or([
                where('run_creators.seen_at', '<', now - freshMs),
                where('run_creators.name', '!=', where.ref('excluded.name')),
              ]),
            ),
        )
        .execute();
    },

    /** Last seen first. */
    list(teamId: string): Promise<RunCreator[]> {
      return db
        .selectFrom('run_creators')
        .select(['value', 'name'])
        .where('team_id', '=', teamId)
        .orderBy('seen_at', 'desc')
        .orderBy('name')
        .limit(mostListed)
        .execute();
    },
  };
}
