import { CompiledQuery, Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import { createRequestLookup } from '../../../src/store/requests/request-lookup.ts';
import { createRunLookup } from '../../../src/store/requests/requests-of-runs.ts';
import type { Db } from '../../../src/store/schema.ts';
import { sqliteDialect } from '../../../src/store/sqlite/sqlite.ts';
import { fillRequests } from '../../support/database/many-requests.ts';
import { openTestDatabase, withTestKey } from '../../support/database/test-key.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

it('no lookup of a mention, link or command reads all requests of a workspace on SQLite', async () => {
  const file = `${temporaryFolder()}/plans.db`;
  const db = await openTestDatabase(`sqlite:${file}`);
  await fillRequests(db, 2_000);
  await sql`insert into outbox (id, kind, team_id, request_id, created_at, state, content_json, channel_id, ts)
    select id, 'run-message', team_id, id, 1, 'posted', '{}', channel_id, id from requests`.execute(
    db,
  );
  const asked: CompiledQuery[] = [];
  const watched: Db = new Kysely({
    dialect: withTestKey(sqliteDialect(file)),
    log: ({ query }) => void asked.push(query),
  });
  const viewer = { teamId: 'T1', userId: 'U1' };
  const lookup = createRequestLookup(watched);
  await lookup.findByMessage('T1', { channelId: 'C1', ts: 'request-5' });
  await lookup.findBySession('T1', ['https://runs.example.com/1', 'https://runs.example.com/2']);
  expect(await lookup.liveInThread('T1', { channelId: 'C1', threadTs: 'request-5' })).toHaveLength(
    1,
  );
  expect(await lookup.findOfThread('T1', { channelId: 'C1', threadTs: 'request-5' })).toBeDefined();
  expect(await createRunLookup(watched).findByRunPrefix(viewer, 'run-77')).toHaveLength(2);
  await watched.destroy();
  const plans = await Promise.all(
    asked.map(async ({ sql: text, parameters }) => {
      const explained = CompiledQuery.raw(`explain query plan ${text}`, [...parameters]);
      return JSON.stringify((await db.executeQuery(explained)).rows);
    }),
  );
  const byMessage = expect.stringContaining('outbox_place (channel_id=? AND ts=?)');
  expect(plans).toEqual([
    byMessage,
    expect.stringContaining('requests_session (session_link=?)'),
    expect.stringContaining('requests_live_in_channel (channel_id=?)'),
    byMessage,
    expect.stringMatching(
      /requests_thread \(thread_ts=\? AND channel_id=\?\).*outbox_place \(channel_id=\? AND ts=\?\)/,
    ),
    expect.stringContaining('requests_run (run_id>? AND run_id<?)'),
  ]);
  await db.destroy();
});
