import { Secret } from 'base/encryption/secret';
import { sql } from 'kysely';
import { agentConfigSchema } from 'runs-client/contract';
import { z } from 'zod';
import { requestFileSchema } from '../../requests/origin.ts';
import { isOwned } from '../database-owner.ts';
import type { Db } from '../schema.ts';
import { type SettingLayers, selectLayers } from './settings.ts';

/** Part of an open form that doesn't fit into its metadata, which Slack limits to 3,000 characters. */
const draftSchema = z.object({
  /** Text from Slack that is sent after the prompt, with secrets masked. */
  context: z.string(),
  messages: z.number(),
  /** Number of thread messages that don't fit into the context. */
  left: z.number(),
  /** Files of the message and of its thread. */
  files: z.array(requestFileSchema).optional(),
  threadFiles: z.array(requestFileSchema).optional(),
  /** Remainder of a prompt that is too long for the form. */
  rest: z.string(),
  /** True if the checkbox that sends the context is checked, or will be when the context is known. */
  isWanted: z.boolean(),
  /** Notices above the fields, in mrkdwn. */
  notices: z.array(z.string()),
  /** Names of the selected IDs, keyed by ID. */
  names: z.record(z.string(), z.string()),
  environmentWarning: z.string().optional(),
  /** Configuration of the run that is repeated. */
  repeats: z
    .object({
      prompt: z.string(),
      context: z.string().nullable(),
      title: z.string(),
      config: agentConfigSchema,
    })
    .optional(),
  /** Link to the source message. */
  permalink: z.string().optional(),
});
export type Draft = z.infer<typeof draftSchema>;
type KeptDraft = Draft & { isWhole: boolean };

export type Drafts = ReturnType<typeof createDrafts>;

/** Time to keep a draft, in ms. A form can stay open for about an hour. */
const keptMs = 60 * 60 * 1000;

type DraftOwner = { id: string; teamId: string };

/** Keys of the stored values that a submitted form needs: its draft, and a setting in the scopes that apply. */
type Submission = SettingLayers & { draftId: string; key: string };

/**
 * Empty value for a column of the other table in a union. Encrypted columns need separate names, because values are
 * decrypted by column name.
 */
const nothing = sql<string>`cast(null as text)`;
const noDraft = [sql<number>`0`.as('is_whole'), nothing.as('id'), nothing.as('draft_json')];

export function createDrafts(db: Db) {
  const owned = (id: string) =>
    db.updateTable('drafts').where('id', '=', id).where(isOwned('drafts'));

  return {
    async write({ id, teamId }: DraftOwner, draft: Draft, now: number): Promise<void> {
      const draft_json = new Secret('draft_json', id, JSON.stringify(draft));
      await db
        .insertInto('drafts')
        .values({ id, team_id: teamId, draft_json, created_at: now })
        .execute();
    },

    /** Replaces a draft after late data arrived. Does nothing if the form was closed or sent meanwhile. */
    async rewrite(id: string, draft: Draft): Promise<void> {
      const value = { draft_json: new Secret('draft_json', id, JSON.stringify(draft)) };
      await owned(id).set(value).execute();
    },

    /** Records that the person selected *More options*. */
    async markExpanded(id: string): Promise<void> {
      await owned(id).set({ is_whole: 1 }).execute();
    },

    async read(id: string): Promise<KeptDraft | undefined> {
      const row = await db
        .selectFrom('drafts')
        .select(['id', 'draft_json', 'is_whole'])
        .where('id', '=', id)
        .where(isOwned('drafts'))
        .executeTakeFirst();
      return row && readDraft(row.draft_json, row.is_whole);
    },

    /** Reads everything that a submitted form needs. Uses one statement, because a person is waiting. */
    async readSubmission(
      submission: Submission,
    ): Promise<{ draft: KeptDraft | undefined; layers: ReadonlyMap<string, unknown> }> {
      const stored = db
        .selectFrom('drafts')
        .select([sql<string>`'draft'`.as('scope'), 'id as scope_id', nothing.as('value_json')])
        .select(['is_whole', 'id', 'draft_json'])
        .where('id', '=', submission.draftId)
        .where(isOwned('drafts'));
      const rows = await selectLayers(db, submission)
        .reduce((all, layer) => all.unionAll(layer.select(noDraft)), stored)
        .execute();
      const draft = rows.find(({ scope }) => scope === 'draft');
      const layers = rows.filter((row) => row !== draft);
      return {
        draft: draft && readDraft(draft.draft_json, draft.is_whole),
        layers: new Map(layers.map(({ scope, value_json }) => [scope, JSON.parse(value_json)])),
      };
    },

    async remove(id: string): Promise<void> {
      await db.deleteFrom('drafts').where('id', '=', id).execute();
    },

    /** Removes old drafts, because Slack doesn't always report that a form was closed. */
    async removeOld(now: number): Promise<void> {
      await db
        .deleteFrom('drafts')
        .where('created_at', '<', now - keptMs)
        .execute();
    },
  };
}

const readDraft = (json: string, isWhole: number): KeptDraft => ({
  ...draftSchema.parse(JSON.parse(json)),
  isWhole: isWhole === 1,
});
