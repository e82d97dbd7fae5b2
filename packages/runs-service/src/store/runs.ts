import { randomUUID } from 'node:crypto';
import { isPostgres } from 'base/database/clock';
import { Secret } from 'base/encryption/secret';
import { maskSecrets } from 'base/secrets/mask-secrets';
import { type Selectable, sql } from 'kysely';
import type { Attachment } from 'runs-client/attachment';
import { deleteLostAttachments, readAttachments, storeAttachments } from './attachments.ts';
import { changeRun, nextMoment, type RunUpdate } from './run-changes.ts';
import type { Db, RunChangesTable, RunsTable } from './schema.ts';

export type StoredRun = Selectable<RunsTable>;
export type StoredChange = Selectable<RunChangesTable>;

type Columns = Pick<
  StoredRun,
  | 'session_token'
  | 'title'
  | 'prompt'
  | 'config_json'
  | 'config_name'
  | 'model_id'
  | 'environment_id'
  | 'skill_spec'
  | 'creator_json'
  | 'creator_uid'
  | 'key_uid'
  | 'source'
  | 'idempotency_key'
  | 'request_hash'
  | 'limits_json'
  | 'schedule_json'
>;
export type NewStoredRun = Columns & {
  conversationId?: string | undefined;
  metadata: Record<string, string>;
  attachments?: readonly Attachment[];
};

type InConversation = Pick<StoredRun, 'id' | 'conversation_id' | 'created_at'>;

/** States in which a process executes the run. */
export const activeStates = ['INPROGRESS', 'BLOCKED'];

/** States of a run that hasn't ended. */
export const openStates = ['QUEUED', ...activeStates];

export const allStates = [...openStates, 'SUCCEEDED', 'FAILED', 'CANCELLED'];

const nextNumber = sql<number>`(select coalesce(max(number), 0) + 1 from service_runs)`;

/**
 * Returns true if the text contains a NUL character. No run contains such a text, and PostgreSQL rejects it in
 * parameters.
 */
const hasNul = (value: string) => value.includes('\0');

async function find(db: Db, column: 'id' | 'session_token' | 'idempotency_key', value: string) {
  if (hasNul(value)) return undefined;
  return db.selectFrom('service_runs').selectAll().where(column, '=', value).executeTakeFirst();
}

/** Stores the run. If a run with the same idempotency key exists, returns that run. */
async function create(db: Db, run: NewStoredRun): Promise<StoredRun> {
  const id = randomUUID();
  await storeAttachments(db, id, run.attachments ?? []);
  const created = await db.transaction().execute((trx) => insertRun(trx, id, run));
  const existing = created ?? (await find(db, 'idempotency_key', run.idempotency_key ?? ''));
  if (!existing) throw new Error('A run could be neither stored nor found by its key.');
  return existing;
}

/** Inserts a run in a transaction. Returns undefined if a run with the same idempotency key exists. */
export async function insertRun(
  trx: Db,
  id: string,
  { metadata, conversationId, attachments: _, ...run }: NewStoredRun,
): Promise<StoredRun | undefined> {
  const createdAt = Date.now();
  const row = await trx
    .insertInto('service_runs')
    .values({
      ...run,
      id,
      prompt: new Secret('prompt', id, run.prompt),
      config_json: new Secret('config_json', id, run.config_json),
      search_text: maskSecrets(`${run.title}\n${run.prompt}`).text.toLowerCase(),
      state: 'QUEUED',
      status_json: null,
      conversation_id: conversationId ?? randomUUID(),
      // Use distinct times, so that runs have the same order by creation and by number.
      created_at: nextMoment(createdAt),
      updated_at: nextMoment(createdAt),
      number: isPostgres(trx) ? null : nextNumber,
      started_at: null,
      ended_at: null,
      cancel_requested: 0,
      followups_closed: 0,
      usage_json: null,
      metadata_json: JSON.stringify(metadata),
      lease_owner: null,
      lease_until: null,
      model_token_hash: null,
      spend_stopped: null,
    })
    .onConflict((conflict) => conflict.column('idempotency_key').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!row) return undefined;
  const change = { run_id: id, changed_at: row.updated_at, until_at: null, note: null };
  await trx
    .insertInto('service_run_changes')
    .values({ ...change, state: row.state })
    .execute();
  const pairs = Object.entries(metadata).map(([key, value]) => ({
    run_id: id,
    key,
    value,
  }));
  if (pairs.length > 0) await trx.insertInto('service_run_metadata').values(pairs).execute();
  if (!isPostgres(trx)) await indexText(trx, row);
  return row;
}

/**
 * Adds a run to SQLite's text index, which is never updated because titles and prompts don't change. PostgreSQL updates
 * its index itself.
 */
async function indexText(db: Db, { number, search_text: text }: StoredRun): Promise<void> {
  await sql`insert into service_run_texts (rowid, search_text) values (${number}, ${text})`.execute(
    db,
  );
}

export function createRuns(db: Db) {
  const byId = db.selectFrom('service_runs').selectAll().where('id', '=', '').compile();
  /** Selects the conversation's ended runs that were created before this run, newest first. */
  const endedBefore = (run: InConversation) =>
    db
      .selectFrom('service_runs')
      .selectAll()
      .where('conversation_id', '=', run.conversation_id)
      .where('created_at', '<=', run.created_at)
      .where('id', '!=', run.id)
      .where('ended_at', 'is not', null)
      .orderBy('created_at', 'desc');
  return {
    create: (run: NewStoredRun) => create(db, run),
    change: (id: string, from: readonly string[], update: RunUpdate, owner?: string) =>
      db.transaction().execute((trx) => changeRun(trx, id, { from, owner }, update)),
    /** Changes a run in progress with an expired lease. */
    changeExpired: (id: string, update: RunUpdate) =>
      db
        .transaction()
        .execute((trx) => changeRun(trx, id, { from: activeStates, leaseExpired: true }, update)),
    /** Reads a run. The query is compiled once, because it's the most frequent one. */
    async get(id: string): Promise<StoredRun | undefined> {
      if (hasNul(id)) return undefined;
      return (await db.executeQuery<StoredRun>({ ...byId, parameters: [id] })).rows[0];
    },
    getBySessionToken: (token: string) => find(db, 'session_token', token),
    getByIdempotencyKey: (key: string) => find(db, 'idempotency_key', key),

    /** Returns the files that were sent with a run. Returns none if the run has ended. */
    attachmentsOf: (runId: string) => readAttachments(db, runId),
    deleteLostAttachments: (storedBefore: number) => deleteLostAttachments(db, storedBefore),

    async changesOf(runId: string): Promise<StoredChange[]> {
      return db
        .selectFrom('service_run_changes')
        .selectAll()
        .where('run_id', '=', runId)
        .orderBy('changed_at')
        .execute();
    },

    /** Returns true if this conversation has a run that was created with another owner's API key. */
    async hasRunsOfOtherKeys(conversationId: string, keyUid: string): Promise<boolean> {
      const found = await db
        .selectFrom('service_runs')
        .select('id')
        .where('conversation_id', '=', conversationId)
        .where('key_uid', '!=', keyUid)
        .limit(1)
        .executeTakeFirst();
      return found !== undefined;
    },

    /** Returns true if a run that started earlier is active in the same conversation and environment. */
    async hasOlderActiveRun(run: StoredRun): Promise<boolean> {
      const found = await db
        .selectFrom('service_runs')
        .select('id')
        .where('conversation_id', '=', run.conversation_id)
        .where('environment_id', '=', run.environment_id)
        .where('state', 'in', activeStates)
        .where('started_at', '<', run.started_at)
        .limit(1)
        .executeTakeFirst();
      return found !== undefined;
    },

    /**
     * Returns the newest ended runs before this run in the same conversation and environment, at most 20. The oldest
     * comes first.
     */
    async earlierOfConversation(
      run: InConversation & Pick<StoredRun, 'environment_id'>,
    ): Promise<StoredRun[]> {
      const found = await endedBefore(run)
        .where('environment_id', '=', run.environment_id)
        .limit(20)
        .execute();
      return found.reverse();
    },

    /** Returns the newest ended run before this run in the same conversation. */
    async latestOfConversation(run: InConversation): Promise<StoredRun | undefined> {
      return endedBefore(run).limit(1).executeTakeFirst();
    },
  };
}
export type Runs = ReturnType<typeof createRuns>;

/** Fields of a run that are needed to execute it. */
export type ExecutedRun = Pick<
  StoredRun,
  'id' | 'title' | 'prompt' | 'config_json' | 'environment_id' | 'conversation_id' | 'created_at'
>;
