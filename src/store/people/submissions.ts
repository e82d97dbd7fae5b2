import { sql } from 'kysely';
import { prepare } from '../database/prepared.ts';
import type { Db } from '../schema.ts';
import { type KeptDraft, readDraft } from './drafts.ts';
import { type SettingLayers, selectLayers } from './settings.ts';

/** The form that was submitted, and whose settings apply to it. */
type Submission = SettingLayers & { draftId: string; key: string };

export type Submissions = ReturnType<typeof createSubmissions>;

/** What is needed to read a submitted form, in one statement because a person waits. */
export function createSubmissions(db: Db) {
  const select = prepare((values: Submission) => {
    const draft = db
      .selectFrom('drafts')
      .select([sql<string>`'draft'`.as('scope'), 'value_json', 'is_whole'])
      .where('id', '=', values.draftId);
    return selectLayers(db, values).reduce(
      (all, layer) => all.unionAll(layer.select(sql<number>`0`.as('is_whole'))),
      draft,
    );
  });

  return {
    /** The draft, if it still exists, and the settings under `key` by scope. */
    async read(
      submission: Submission,
    ): Promise<{ draft: KeptDraft | undefined; layers: ReadonlyMap<string, unknown> }> {
      const { rows } = await db.executeQuery(select(submission));
      const draft = rows.find(({ scope }) => scope === 'draft');
      const layers = rows.filter((row) => row !== draft);
      return {
        draft: draft && readDraft(draft),
        layers: new Map(layers.map(({ scope, value_json }) => [scope, JSON.parse(value_json)])),
      };
    },
  };
}
