import { firingSchema } from '../../automations/firing.ts';
import { liveSteps } from '../../requests/steps.ts';
import { removeRequests } from '../requests/request-removal.ts';
import type { Db } from '../schema.ts';

/** Max values in one statement, because databases limit them. */
const atOnce = 500;

const tablesOfPeople = [
  'request_watchers',
  'run_feedback',
  'home_views',
  'conversation_members',
  'connections',
] as const;

/** Reads and deletes the data of one person, by Slack user ID, in every workspace of this database. */
export function createPersonData(db: Db) {
  const requests = (userId: string) =>
    db.selectFrom('requests').where('creator_id', '=', userId).orderBy('accepted_at');
  const settings = (userId: string) =>
    db.selectFrom('settings').where('scope', '=', 'person').where('scope_id', '=', userId);

  return {
    /** Returns the number of the person's requests that haven't ended. */
    async active(userId: string): Promise<number> {
      return (await requests(userId).where('step', 'in', liveSteps).select('id').execute()).length;
    },

    /** Returns the person's data for export. Leaves out MCP server keys, which are never shown again. */
    async read(userId: string) {
      const rows = await requests(userId)
        .select(['id', 'team_id', 'channel_id', 'title', 'masked_prompt', 'prompt', 'context'])
        .select(['config_json', 'run_id', 'run_state', 'run_json', 'session_link'])
        .select(['accepted_at', 'ended_at', 'cost_micros', 'tokens'])
        .execute();
      const values = await settings(userId)
        .select(['team_id', 'scope_id', 'key', 'value_json', 'updated_at'])
        .execute();
      const watched = await db
        .selectFrom('request_watchers')
        .select(['request_id', 'wants', 'changed_at'])
        .where('user_id', '=', userId)
        .execute();
      const channels = await db
        .selectFrom('conversation_members')
        .select(['team_id', 'conversation_id'])
        .where('user_id', '=', userId)
        .execute();
      const feedback = await db
        .selectFrom('run_feedback')
        .select(['request_id', 'is_good', 'given_at'])
        .where('user_id', '=', userId)
        .execute();
      return {
        requests: rows.map(({ masked_prompt, prompt, config_json, run_json, ...row }) => ({
          ...row,
          prompt: prompt ?? masked_prompt,
          config: readable(config_json),
          run: run_json === null ? null : readable(run_json),
        })),
        settings: values.map(({ scope_id: _, value_json: json, ...row }) => ({
          ...row,
          value: readable(json),
        })),
        watched,
        feedback,
        answers: await readAnswers(db, userId),
        channels,
        ownKeys: await readOwnKeys(db, userId),
        automations: await readAutomations(db, userId),
        audit: await readAudit(db, userId),
      };
    },

    /** Deletes the person's data. Requests that haven't ended stay. Returns the runs of the deleted requests. */
    remove: (userId: string): Promise<{ requests: number; runIds: string[] }> =>
      db.transaction().execute(async (trx) => {
        const rows = await trx
          .selectFrom('requests')
          .select(['id', 'run_id'])
          .where('creator_id', '=', userId)
          .where('step', 'not in', liveSteps)
          .execute();
        let deleted = 0;
        for (let at = 0; at < rows.length; at += atOnce) {
          const ids = rows.slice(at, at + atOnce).map(({ id }) => id);
          deleted += await removeRequests(trx, ids);
        }
        await trx
          .deleteFrom('settings')
          .where('scope', '=', 'person')
          .where('scope_id', '=', userId)
          .execute();
        for (const table of tablesOfPeople)
          await trx.deleteFrom(table).where('user_id', '=', userId).execute();
        await forgetAnswers(trx, userId);
        await removeAutomations(trx, userId);
        for (const column of ['cancel_asked_by', 'publish_asked_by'] as const)
          await trx
            .updateTable('requests')
            .set({ [column]: null })
            .where(column, '=', userId)
            .where('step', 'not in', liveSteps)
            .execute();
        // Remove all cached Home listings, because those of other people may contain the deleted runs.
        await trx
          .updateTable('home_views')
          .set({ listing_key: null, listing_json: null })
          .execute();
        return { requests: deleted, runIds: rows.flatMap(({ run_id: id }) => id ?? []) };
      }),
  };
}

/** Returns the connections that the person connected a key for. The keys are never shown again. */
const readOwnKeys = (db: Db, userId: string) =>
  db
    .selectFrom('connections')
    .select(['team_id', 'id', 'base_url', 'added_at'])
    .where('user_id', '=', userId)
    .where('api_key', 'is not', null)
    .execute();

async function readAnswers(db: Db, userId: string) {
  const rows = await db
    .selectFrom('answers')
    .select(['id', 'request_id', 'given_json', 'answered_at'])
    .where('answered_by', '=', userId)
    .execute();
  return rows.map(({ id: _, given_json: json, ...row }) => ({ ...row, answer: readable(json) }));
}

/** Deletes the person's answers, except one that isn't sent yet. */
const forgetAnswers = (db: Db, userId: string) =>
  db
    .deleteFrom('answers')
    .where('answered_by', '=', userId)
    .where('outcome', 'is not', null)
    .execute();

/** Returns a setting for export, with the names of MCP servers but without commands, addresses and keys. */
function readable(json: string): unknown {
  return JSON.parse(json, (key, value: unknown) =>
    key === 'mcp_servers' && typeof value === 'object' && value !== null
      ? Object.keys(value)
      : value,
  );
}

/** Returns the person's entries in the audit log. The log itself keeps them. */
const readAudit = (db: Db, userId: string) =>
  db
    .selectFrom('audit_entries')
    .select(['created_at', 'action', 'entity_type', 'entity_id', 'channel_id', 'details_json'])
    .where('actor_id', '=', userId)
    .orderBy('created_at')
    .execute();

/** Returns the person's automations. Leaves out secrets of webhooks, which are never shown again. */
async function readAutomations(db: Db, userId: string) {
  const rows = await db
    .selectFrom('automations')
    .select(['id', 'team_id', 'channel_id', 'name', 'definition_json', 'created_at'])
    .where('owner_id', '=', userId)
    .execute();
  return rows.map(({ definition_json: json, ...row }) => ({ ...row, definition: readable(json) }));
}

/** Deletes the person's automations, and the entries in the history of others that name the person. */
async function removeAutomations(trx: Db, userId: string): Promise<void> {
  const owned = await trx
    .deleteFrom('automations')
    .where('owner_id', '=', userId)
    .returning('id')
    .execute();
  const firings = trx.deleteFrom('automation_firings');
  for (const { id } of owned) await firings.where('automation_id', '=', id).execute();
  // Read all other entries in pieces, because only their encrypted content names the person.
  for (let after = ''; ; ) {
    const rows = await trx
      .selectFrom('automation_firings')
      .select(['id', 'content_json'])
      .where('id', '>', after)
      .where('state', '<>', 'waiting')
      .orderBy('id')
      .limit(atOnce)
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    const theirs = rows.filter(({ content_json: json }) => namesPerson(json, userId));
    const ids = theirs.map(({ id }) => id);
    if (ids.length > 0) await firings.where('id', 'in', ids).execute();
  }
}

function namesPerson(json: string, userId: string): boolean {
  const { fired } = firingSchema.shape.content.parse(JSON.parse(json));
  return 'by' in fired && fired.by === userId;
}
