import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createConversations } from '../../../src/store/people/conversations.ts';
import { createRequestList } from '../../../src/store/requests/request-list.ts';
import type { Db } from '../../../src/store/schema.ts';
import { fillRequests } from '../../support/database/many-requests.ts';
import { fillFollowed, followOnce, openPlannedDatabase, readHome } from './planned-database.ts';

const followedRuns = 30_000;
/** Far more than any statement of a follower has a reason to read, far less than all. */
const mostRows = 2_000;
const requests = 20_000;
const members = 1_000;
const channels = 200;

/** Spreads the requests over channels, half of which are private. U1 is in one of these. */
async function spread(db: Db): Promise<void> {
  const number = sql`cast(substr(id, 9) as integer)`;
  await sql`update requests set channel_id = 'C' || (${number} % ${sql.lit(channels)})`.execute(db);
  const conversations = createConversations(db);
  await conversations.noteAll();
  const memberIds = Array.from({ length: members }, (_, index) => `U${index}`);
  const next = () => conversations.takeDue(60_000);
  for (let due = await next(); due; due = await next()) {
    const isPrivate = Number(due.conversationId.slice(1)) % 2 === 0;
    // One private channel has everyone, the others have ten people each.
    const few = due.conversationId === 'C0' ? memberIds : memberIds.slice(500, 510);
    await conversations.write(
      due,
      isPrivate ? { kind: 'private', memberIds: few } : { kind: 'public' },
      60_000,
    );
  }
}

describe('on PostgreSQL', () => {
  it('no statement of a follower reads all followed runs', async () => {
    const { db, plansOf } = await openPlannedDatabase('explain (analyze, format json)');
    await fillFollowed(db, followedRuns);
    await sql`analyze requests`.execute(db);
    const plans = await plansOf('requests', followOnce);
    expect(plans.length).toBeGreaterThan(10);
    for (const { text, plan } of plans)
      expect(rowsRead(plan), `${text}\n${JSON.stringify(plan)}`).toBeLessThan(mostRows);
  });

  it('no filter of the Home tab reads all requests, and visible channels are found once', async () => {
    const { db, plansOf } = await openPlannedDatabase('explain');
    await fillRequests(db, requests);
    await spread(db);
    await sql`vacuum analyze requests`.execute(db);
    for (const { text, plan } of await plansOf('requests', readHome))
      expect(JSON.stringify(plan), text).not.toContain('Seq Scan on requests');
    const looks = await plansOf('conversation_members where', async (watched) => {
      const viewer = { teamId: 'T1', userId: 'U1' };
      const list = createRequestList(watched);
      const counts = await list.counts(viewer, 0);
      const visible = Object.values(counts).reduce((sum, each) => sum + each, 0);
      expect(visible).toBe(requests / 2 + requests / channels);
      await list.page({ viewer, search: 'number 77' }, { limit: 21 });
    });
    expect(looks.length).toBeGreaterThan(0);
    for (const { text, plan } of looks)
      expect(JSON.stringify(plan), text).toMatch(/hashed SubPlan/);
  });
});

/** Returns the most rows that any step of a plan has read, kept or thrown away. */
function rowsRead(plan: unknown): number {
  if (typeof plan !== 'object' || plan === null) return 0;
  const step = plan as Record<string, unknown>;
  const own = [step['Actual Rows'], step['Rows Removed by Filter']].map((rows) =>
    Number(rows ?? 0),
  );
  const loops = Number(step['Actual Loops'] ?? 1);
  const within = Object.values(step).map(rowsRead);
  return Math.max(...own.map((rows) => rows * loops), 0, ...within);
}
