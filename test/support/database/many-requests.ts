import { isPostgres } from 'base/database/clock';
import { sql } from 'kysely';
import { fillEncrypted } from '../../../packages/base/test/support/test-key.ts';
import { createConversations } from '../../../src/store/people/conversations.ts';
import type { Db } from '../../../src/store/schema.ts';

const minuteMs = 60_000;

/** Stores that everyone in the workspace can read this channel. */
export async function makePublic(db: Db, channelId: string, teamId = 'T1'): Promise<void> {
  const conversations = createConversations(db);
  const place = { teamId, conversationId: channelId };
  await conversations.note(place);
  await db
    .updateTable('conversations')
    .where('team_id', '=', teamId)
    .where('id', '=', channelId)
    .set({ is_public: 1 })
    .execute();
}

/** Rows with a column `n`, from 1 to this number. */
export const numbersTo = (db: Db, count: number) =>
  isPostgres(db)
    ? sql`generate_series(1, ${sql.lit(count)}) as c(n)`
    : sql`(with recursive c(n) as (select 1 union all select n + 1 from c where n < ${sql.lit(count)}) select n from c)`;

/**
 * Adds requests in a public channel by a hundred people, U0 to U99, one a minute back in time. The newest twenty are
 * active, 1% failed, 0.1% weren't started, and a few have a rare environment and name.
 */
export async function fillRequests(db: Db, count: number, teamId = 'T1'): Promise<void> {
  const now = Date.now();
  await makePublic(db, 'C1', teamId);
  await sql`
    insert into requests (id, team_id, creator_id, channel_id, masked_prompt, title, config_json,
      authority_json, environment_id, config_name, step, failures, lease_until, accepted_at, run_id, run_state, run_json)
    select 'request-' || n, ${sql.lit(teamId)}, 'U' || (n % 100), 'C1',
      'Mend the flaky test number ' || n || ' and open a pull request', 'Run number ' || n,
      '', '{"actorId":"U1","keysOf":"U1"}',
      case when n % 10007 = 7 then 'seldom' else 'shop' end,
      case when n % 10007 = 7 then 'seldom' end,
      case when n <= 20 then 'following' when n % 1000 = 0 then 'not_started' else 'ended' end,
      0, 0, ${sql.lit(now)} - cast(n as bigint) * ${sql.lit(minuteMs)},
      case when n % 1000 = 0 then null else 'run-' || n end,
      case when n % 1000 = 0 then null when n <= 20 then 'INPROGRESS' when n % 100 = 0 then 'FAILED'
        when n % 101 = 0 then 'CANCELLED' else 'SUCCEEDED' end,
      null
    from ${numbersTo(db, count)}`.execute(db);
  const text = '{"environment_id":"shop"}';
  await fillEncrypted(db, { table: 'requests', column: 'config_json', text });
}
