import { sql } from 'kysely';
import type { AgentConfig } from 'runs-client/contract';
import { agentConfigSchema } from 'runs-client/contract';
import { isOwned } from '../database-owner.ts';
import type { Db } from '../schema.ts';
import { type RunRequest, readRow } from './request-row.ts';
import { newestFirst } from './requests-of-runs.ts';
import { inTeam, type RunViewer, visibleTo } from './visible-requests.ts';

type Thread = { channelId: string; threadTs: string };
export type RecentPrompt = { title: string; prompt: string };

const mostRecentPrompts = 20;
const longestRecentPrompt = 1_000;

export function createRequestLookup(db: Db) {
  return {
    async find(id: string): Promise<RunRequest | undefined> {
      const row = await db
        .selectFrom('requests')
        .selectAll()
        .where('id', '=', id)
        .where(isOwned('requests'))
        .executeTakeFirst();
      return row && readRow(row);
    },

    /** Returns the request with this run message, even after someone deleted the message. */
    async findByMessage(
      teamId: string,
      place: { channelId: string; ts: string },
    ): Promise<RunRequest | undefined> {
      return (await withMessage(db, teamId, place))[0];
    },

    /**
     * Returns the newest request of a thread. The thread is below one of its posts or below the message that started
     * it.
     */
    async findOfThread(
      teamId: string,
      { channelId, threadTs }: { channelId: string; threadTs: string },
    ): Promise<RunRequest | undefined> {
      const rows = await db
        .selectFrom('requests')
        .selectAll()
        .where('id', 'in', (select) =>
          select
            .selectFrom('requests')
            .select('id')
            .where('thread_ts', '=', threadTs)
            .where('channel_id', '=', channelId)
            .unionAll(
              select
                .selectFrom('outbox')
                .select(sql<string>`request_id`.as('id'))
                .where('channel_id', '=', channelId)
                .where('ts', '=', threadTs)
                .where('request_id', 'is not', null),
            ),
        )
        .where(inTeam(teamId))
        .execute();
      return newestFirst(rows)[0];
    },

    /** Returns the request whose session has one of these addresses. */
    async findBySession(teamId: string, links: readonly string[]): Promise<RunRequest | undefined> {
      if (links.length === 0) return undefined;
      // Sort in memory, because SQLite would otherwise read the whole workspace to sort it.
      const rows = await db
        .selectFrom('requests')
        .selectAll()
        .where('session_link', 'in', links)
        .where(inTeam(teamId))
        .execute();
      return newestFirst(rows)[0];
    },

    /** Returns only those addresses that are session links of runs. */
    sessionsAmong: (teamId: string, links: readonly string[]) => sessionsAmong(db, teamId, links),

    /** Returns the requests of these channel messages that the viewer can see, keyed by the `ts` of the message. */
    findOfPosts: (viewer: RunViewer, channelId: string, ts: readonly string[]) =>
      findOfPosts(db, viewer, channelId, ts),

    liveInThread: (teamId: string, thread: Thread): Promise<RunRequest[]> =>
      liveInThread(db, teamId, thread),

    /** Returns a person's last prompts, newest first, without long ones and those with secrets. */
    async recentPrompts({ teamId, userId }: RunViewer): Promise<RecentPrompt[]> {
      const rows = await db
        .selectFrom('requests')
        .select(['title', 'masked_prompt'])
        .where('team_id', '=', teamId)
        .where('creator_id', '=', userId)
        .where('step', '<>', 'accepted')
        // Leave out prompts with secrets. Only these have a value in `prompt`, because `masked_prompt` differs.
        .where('prompt', 'is', null)
        .where(sql<boolean>`length(masked_prompt) <= ${longestRecentPrompt}`)
        .orderBy('accepted_at', 'desc')
        .limit(mostRecentPrompts)
        .execute();
      return rows.map((row) => ({ title: row.title, prompt: row.masked_prompt }));
    },

    /**
     * Returns configurations of the last requests that the viewer can see, newest first. If a channel or a creator is
     * given, other requests are left out.
     */
    async recentConfigs(
      viewer: RunViewer,
      { channelId, creatorId }: { channelId?: string; creatorId?: string },
      limit = 100,
    ): Promise<AgentConfig[]> {
      let query = db
        .selectFrom('requests')
        .select(['id', 'config_json'])
        .where('team_id', '=', viewer.teamId)
        .where(visibleTo(viewer))
        .where('step', '<>', 'accepted');
      if (channelId !== undefined) query = query.where('channel_id', '=', channelId);
      if (creatorId !== undefined) query = query.where('creator_id', '=', creatorId);
      const rows = await query.orderBy('accepted_at', 'desc').limit(limit).execute();
      return rows.map((row) => agentConfigSchema.parse(JSON.parse(row.config_json)));
    },
  };
}

async function sessionsAmong(
  db: Db,
  teamId: string,
  links: readonly string[],
): Promise<readonly string[]> {
  if (links.length === 0) return [];
  const rows = await db
    .selectFrom('requests')
    .select('session_link')
    .distinct()
    .where('session_link', 'in', links)
    .where(inTeam(teamId))
    .execute();
  return rows.flatMap(({ session_link: session }) => session ?? []);
}

async function findOfPosts(
  db: Db,
  viewer: RunViewer,
  channelId: string,
  ts: readonly string[],
): Promise<ReadonlyMap<string, RunRequest>> {
  if (ts.length === 0) return new Map();
  const posts = await db
    .selectFrom('outbox')
    .select(['ts', 'request_id'])
    .where('channel_id', '=', channelId)
    .where('ts', 'in', ts)
    .where('request_id', 'is not', null)
    .execute();
  if (posts.length === 0) return new Map();
  const ids = new Set(posts.flatMap(({ request_id: id }) => id ?? []));
  const rows = await db
    .selectFrom('requests')
    .selectAll()
    .where('id', 'in', [...ids])
    .where(inTeam(viewer.teamId))
    .where(visibleTo(viewer))
    .execute();
  const visible = new Map(rows.map((row) => [row.id, readRow(row)]));
  return new Map(
    posts.flatMap(({ ts: at, request_id: id }) => {
      const request = visible.get(id ?? '');
      return at && request ? [[at, request] as const] : [];
    }),
  );
}

/**
 * Returns active requests with messages in this thread, newest first, and the request of the thread's first message.
 */
async function liveInThread(
  db: Db,
  teamId: string,
  { channelId, threadTs }: Thread,
): Promise<RunRequest[]> {
  const inThread = await db
    .selectFrom('requests')
    .selectAll()
    .where('channel_id', '=', channelId)
    // Write this exactly like the condition of the index, so that the database uses the index.
    .where(sql<boolean>`step in ('posted', 'following')`)
    // Let SQL filter by thread, because a busy channel has many active requests. The pattern is joined in SQL,
    // because SQLite parses a statement with a pattern parameter again.
    .where(sql<boolean>`origin_json like '%' || ${`"threadTs":"${threadTs}"`} || '%'`)
    .where(inTeam(teamId))
    .execute();
  const started = await withMessage(db, teamId, { channelId, ts: threadTs });
  return [
    ...newestFirst(inThread).filter(({ origin }) => origin?.threadTs === threadTs),
    ...started.filter(({ step }) => step === 'posted' || step === 'following'),
  ];
}

/**
 * Returns the requests with this run message, newest first, even if it was deleted. Run messages have the ID of their
 * request.
 */
async function withMessage(
  db: Db,
  teamId: string,
  { channelId, ts }: { channelId: string; ts: string },
): Promise<RunRequest[]> {
  const rows = await db
    .selectFrom('requests')
    .selectAll()
    .where('id', 'in', (select) =>
      select
        .selectFrom('outbox')
        .select('outbox.id')
        .where('outbox.channel_id', '=', channelId)
        .where('outbox.ts', '=', ts)
        .whereRef('outbox.id', '=', 'outbox.request_id')
        .unionAll(
          select
            .selectFrom('requests')
            .select('id')
            .where('thread_ts', '=', ts)
            .where('channel_id', '=', channelId),
        ),
    )
    .where(inTeam(teamId))
    .execute();
  // Leaves out runs that were started by a mention in this thread, because the thread isn't about them.
  return newestFirst(rows).filter(({ origin }) => origin?.threadTs !== ts);
}
