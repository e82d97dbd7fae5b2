import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createDrafts } from '../../../src/store/people/drafts.ts';
import { createSettings } from '../../../src/store/people/settings.ts';
import { createRequestList } from '../../../src/store/requests/request-list.ts';
import { createRequestLookup } from '../../../src/store/requests/request-lookup.ts';
import { createRunLookup } from '../../../src/store/requests/requests-of-runs.ts';
import { createSpending } from '../../../src/store/requests/spending.ts';
import { fillRequests } from '../../support/database/many-requests.ts';
import { fillFollowed, followOnce, openPlannedDatabase, readHome } from './planned-database.ts';

/** SQLite has no statistics here, so its plans don't depend on the number of rows. */
const requests = 200;
const viewer = { teamId: 'T1', userId: 'U1' };

describe('on SQLite', () => {
  it('no statement of a follower reads all followed runs', async () => {
    const { db, plansOf } = await openPlannedDatabase('explain query plan');
    await fillFollowed(db, requests);
    const plans = await plansOf('requests', followOnce);
    expect(plans.length).toBeGreaterThan(10);
    for (const { text, plan } of plans)
      expect(JSON.stringify(plan), text).not.toMatch(/SCAN requests|TEMP B-TREE/);
  });

  it('no filter of the Home tab reads or sorts all requests', async () => {
    const { db, plansOf } = await openPlannedDatabase('explain query plan');
    await fillRequests(db, requests);
    for (const each of await plansOf('requests', readHome)) {
      const { text, plan } = { ...each, plan: JSON.stringify(each.plan) };
      expect(plan, text).toMatch(/SEARCH requests USING (COVERING )?INDEX/);
      if (!text.includes('group by')) expect(plan, text).not.toContain('FOR ORDER BY');
      else expect(plan, text).toContain('COVERING INDEX');
      if (!text.includes('and "creator_id" = ?')) continue;
      expect(plan, text).toContain('requests_creator_state (team_id=? AND creator_id=?');
    }
  });

  it('the conversations that someone can see are found by their indexes, once per statement', async () => {
    const { db, plansOf } = await openPlannedDatabase('explain query plan');
    await fillRequests(db, requests);
    const plans = await plansOf('conversation_members where', async (watched) => {
      await readHome(watched);
      await createRequestList(watched).page({ viewer, search: 'number 77' }, { limit: 21 });
    });
    expect(plans.length).toBeGreaterThan(1);
    for (const each of plans) {
      const { text, plan } = { ...each, plan: JSON.stringify(each.plan) };
      expect(plan, text).toContain(
        'SEARCH conversations USING COVERING INDEX conversations_public',
      );
      expect(plan, text).toMatch(/SEARCH conversation_members USING COVERING INDEX .*user_id=\?/);
      expect(plan, text).not.toContain('CORRELATED');
    }
  });

  it('no lookup of a mention, link or command reads all requests of a workspace', async () => {
    const { db, plansOf } = await openPlannedDatabase('explain query plan');
    await fillRequests(db, requests);
    await sql`insert into outbox (id, kind, team_id, request_id, created_at, state, content_json, channel_id, ts)
      select id, 'run-message', team_id, id, 1, 'posted', '{}', channel_id, id from requests`.execute(
      db,
    );
    const thread = { channelId: 'C1', threadTs: 'request-5' };
    const plans = await plansOf('requests', async (watched) => {
      const lookup = createRequestLookup(watched);
      await lookup.findByMessage('T1', { channelId: 'C1', ts: 'request-5' });
      await lookup.findBySession('T1', ['https://runs.example.com/1', 'https://runs.example.com']);
      expect(await lookup.liveInThread('T1', thread)).toHaveLength(1);
      expect(await lookup.findOfThread('T1', thread)).toBeDefined();
      expect(await createRunLookup(watched).findByRunPrefix(viewer, 'run-77')).toHaveLength(1);
    });
    const byMessage = expect.stringContaining('outbox_place (channel_id=? AND ts=?)');
    expect(plans.map(({ plan }) => JSON.stringify(plan))).toEqual([
      byMessage,
      expect.stringContaining('requests_session (session_link=?)'),
      expect.stringContaining('requests_live_in_channel (channel_id=?)'),
      byMessage,
      expect.stringMatching(
        /requests_thread \(thread_ts=\? AND channel_id=\?\).*outbox_place \(channel_id=\? AND ts=\?\)/,
      ),
      expect.stringContaining('requests_run (run_id>? AND run_id<?)'),
    ]);
  });

  it('no sum of spending reads all requests, and that of a workspace reads only an index', async () => {
    const { db, plansOf } = await openPlannedDatabase('explain query plan');
    await fillRequests(db, requests);
    const period = { since: 5 };
    const plans = await plansOf('requests', async (watched) => {
      const spending = createSpending(watched);
      await spending.sum('T1', 'workspace', period);
      await spending.sum('T1', { creatorId: 'U1' }, period);
      await spending.sum('T1', { creatorIds: ['U1', 'U2'] }, period);
      await spending.sum('T1', { channelId: 'C1' }, period);
      await spending.sum('T1', { environmentId: 'shop' }, period);
      await spending.report({ viewer, creatorId: 'U1', since: 5 });
      await spending.report({ viewer, since: 5 });
      await spending.isCountedBy('T1', 'operator');
    });
    expect(plans.map(({ plan }) => (plan as { detail: string }[])[0]?.detail)).toEqual([
      expect.stringMatching(/COVERING INDEX requests_cost \(team_id=\? AND accepted_at>\?/),
      ...Array(2).fill(expect.stringMatching(/requests_creator.*creator_id=\? AND accepted_at>\?/)),
      expect.stringMatching(/requests_channel.*channel_id=\? AND accepted_at>\?/),
      expect.stringMatching(/requests_environment.*environment_id=\? AND accepted_at>\?/),
      expect.stringMatching(/requests_creator.*creator_id=\? AND accepted_at>\?/),
      expect.stringMatching(/requests_.*team_id=\? AND accepted_at>\?/),
      expect.stringMatching(/requests_counted \(team_id=\? AND service_id=\? AND accepted_at>\?/),
    ]);
  });

  it('reading a setting reads no setting of others', async () => {
    const { plansOf } = await openPlannedDatabase('explain query plan');
    const asker = { teamId: 'T1', channelId: 'C1', userId: 'U1' };
    const plans = await plansOf('', async (watched) => {
      const [settings, drafts] = [createSettings(watched), createDrafts(watched)];
      await settings.read({ teamId: 'T1', scope: 'person', scopeId: 'U1' }, 'run.defaults');
      await settings.readLayers(asker, 'run.defaults');
      await drafts.readSubmission({ ...asker, draftId: 'd', key: 'run.defaults' });
    });
    const steps = plans.map(({ plan }) =>
      (plan as { detail: string }[])
        .map(({ detail }) => detail)
        .filter((detail) => /settings|drafts/.test(detail)),
    );
    const whole = expect.stringContaining('(team_id=? AND scope=? AND scope_id=? AND key=?)');
    const one = expect.stringContaining('SEARCH drafts USING INDEX');
    expect(steps).toEqual([[whole], [whole, whole, whole], [one, whole, whole, whole]]);
  });
});
