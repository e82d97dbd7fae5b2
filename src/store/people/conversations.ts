import { nowMs } from 'base/database/clock';
import { sql } from 'kysely';
import { hasActiveInstallation } from '../database-owner.ts';
import type { DatabaseSchema, Db } from '../schema.ts';

export type Conversations = ReturnType<typeof createConversations>;

export type ConversationPlace = { teamId: string; conversationId: string };

/** A conversation to read from Slack. Its version grows with every event in it. */
export type DueConversation = ConversationPlace & { version: number; isNew: boolean };

/** Visibility of a conversation. `private` without members means that Slack doesn't show it to the app. */
export type ConversationFacts =
  | { kind: 'public' }
  | { kind: 'private'; memberIds: readonly string[] };

/** Number of members that one statement inserts. */
const batchSize = 200;

/**
 * Stores which conversations are public, and the members of the others, for `visible-requests.ts`. Direct messages
 * aren't stored, because only the creator sees a run from a direct message. See
 * docs/decisions/014-seeing-follows-the-conversation.md.
 */
export function createConversations(db: Db) {
  const rowOf = (place: ConversationPlace, within: Db = db) => updateRow(place, within);

  /**
   * Makes a conversation due to be read from Slack. The result of a reading in progress won't be stored. Returns true
   * if the conversation is known.
   */
  async function changed(place: ConversationPlace, within: Db = db): Promise<boolean> {
    const { numUpdatedRows } = await rowOf(place, within)
      .set((row) => ({ due_at: nowMs(db), version: row('version', '+', 1) }))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  return {
    changed,

    /** Adds a conversation, which is private until Slack says otherwise. Returns true if it's new. */
    async note({ teamId, conversationId }: ConversationPlace): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('conversations')
        .values({ team_id: teamId, id: conversationId, is_public: 0, due_at: nowMs(db) })
        .onConflict((conflict) => conflict.columns(['team_id', 'id']).doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },

    /** Returns true if the conversation is public or the person is in it. Unknown conversations are private. */
    isOpenTo: (place: ConversationPlace, userId: string) => isOpenTo(db, place, userId),

    /** Adds the conversations of all requests. Reads the whole table of requests. */
    async noteAll(): Promise<void> {
      await sql`insert into conversations (team_id, id, is_public, due_at)
        select distinct team_id, channel_id, 0, ${nowMs(db)} from requests
        where channel_id not like 'D%' on conflict (team_id, id) do nothing`.execute(db);
    },

    /**
     * Returns the conversation that has been due longest, and reserves it for `untilMs` ms. Each is returned to one
     * replica.
     */
    async takeDue(untilMs: number): Promise<DueConversation | undefined> {
      const due = await db
        .selectFrom('conversations')
        .select(['team_id', 'id', 'due_at', 'version', 'checked_at'])
        .where('due_at', '<=', nowMs(db))
        .where(hasActiveInstallation('conversations'))
        .orderBy('due_at')
        .limit(10)
        .execute();
      for (const row of due) {
        const place = { teamId: row.team_id, conversationId: row.id };
        const { numUpdatedRows } = await rowOf(place)
          .where('due_at', '=', row.due_at)
          .where('version', '=', row.version)
          .set({ due_at: sql<number>`${nowMs(db)} + ${sql.lit(untilMs)}` })
          .executeTakeFirst();
        if (numUpdatedRows === 1n)
          return { ...place, version: row.version, isNew: row.checked_at === null };
      }
      return undefined;
    },

    /** Postpones the next reading of a conversation, because Slack didn't respond. */
    async putOff(
      { version, ...place }: ConversationPlace & { version: number },
      untilMs: number,
    ): Promise<void> {
      await rowOf(place)
        .where('version', '=', version)
        .set({ due_at: sql<number>`${nowMs(db)} + ${sql.lit(untilMs)}` })
        .execute();
    },

    /**
     * Stores the facts that were read from Slack. If events arrived since `takeDue`, stores nothing and returns false.
     * The conversation is then due again.
     */
    async write(
      { version, ...place }: ConversationPlace & { version: number },
      facts: ConversationFacts,
      againInMs: number,
    ): Promise<boolean> {
      return db.transaction().execute(async (transaction) => {
        const now = nowMs(db);
        const { numUpdatedRows } = await rowOf(place, transaction)
          .where('version', '=', version)
          .set({
            is_public: facts.kind === 'public' ? 1 : 0,
            checked_at: now,
            due_at: sql<number>`${now} + ${sql.lit(againInMs)}`,
          })
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        const memberIds = facts.kind === 'private' ? facts.memberIds : [];
        await replaceMembers(transaction, place, memberIds);
        return true;
      });
    },

    /** Makes a public conversation private. Returns false if it was private already. */
    async becamePrivate(place: ConversationPlace): Promise<boolean> {
      const { numUpdatedRows } = await rowOf(place)
        .where('is_public', '=', 1)
        .set((row) => ({ is_public: 0, due_at: nowMs(db), version: row('version', '+', 1) }))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Adds or removes a member. Returns true if the conversation is known. */
    async moved(place: ConversationPlace, userId: string, isIn: boolean): Promise<boolean> {
      return db.transaction().execute(async (transaction) => {
        if (!(await changed(place, transaction))) return false;
        if (isIn)
          await transaction
            .insertInto('conversation_members')
            .values(memberRow(place, userId))
            .onConflict((conflict) => conflict.doNothing())
            .execute();
        else await deleteMembers(place, transaction).where('user_id', '=', userId).execute();
        return true;
      });
    },
  };
}

async function isOpenTo(
  db: Db,
  { teamId, conversationId }: ConversationPlace,
  userId: string,
): Promise<boolean> {
  const { rows } = await sql`
    select id from conversations
      where team_id = ${teamId} and id = ${conversationId} and is_public = 1
    union all
    select conversation_id from conversation_members
      where team_id = ${teamId} and conversation_id = ${conversationId} and user_id = ${userId}`.execute(
    db,
  );
  return rows.length > 0;
}

const updateRow = ({ teamId, conversationId }: ConversationPlace, within: Db) =>
  within
    .updateTable('conversations')
    .where('team_id', '=', teamId)
    .where('id', '=', conversationId);

const deleteMembers = ({ teamId, conversationId }: ConversationPlace, within: Db) =>
  within
    .deleteFrom('conversation_members')
    .where('team_id', '=', teamId)
    .where('conversation_id', '=', conversationId);

async function replaceMembers(
  within: Db,
  place: ConversationPlace,
  memberIds: readonly string[],
): Promise<void> {
  await deleteMembers(place, within).execute();
  const rows = [...new Set(memberIds)].map((id) => memberRow(place, id));
  for (let from = 0; from < rows.length; from += batchSize)
    await within
      .insertInto('conversation_members')
      .values(rows.slice(from, from + batchSize))
      .execute();
}

const memberRow = (
  { teamId, conversationId }: ConversationPlace,
  userId: string,
): DatabaseSchema['conversation_members'] => ({
  team_id: teamId,
  user_id: userId,
  conversation_id: conversationId,
});
