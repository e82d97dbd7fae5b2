import { createLogger } from 'base/logger';
import { type ListRunsResponse, listRunsResponseSchema } from 'runs-client/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRunsApp } from '../../../src/api/app.ts';
import { createProgressReader } from '../../../src/api/runs/run-results.ts';
import { createRunsRoutes } from '../../../src/api/runs/runs-routes.ts';
import { createVisibleRuns } from '../../../src/api/runs/visible-runs.ts';
import { listStoredRuns } from '../../../src/store/run-list.ts';
import { createRuns } from '../../../src/store/runs.ts';
import { createStores } from '../../../src/store/stores.ts';
import { describeOnDatabase } from '../../support/databases.ts';
import { aServiceRun } from '../../support/service/service-run-builder.ts';

describeOnDatabase('the store of the runs service', (db) => {
  /** Creates the app without a port, queue or agents, so that runs stay unchanged. */
  function listEndpoint() {
    const stores = createStores(db());
    const { runs } = stores;
    const creator = { type: 'user', uid: 'ada', display_name: 'Ada' } as const;
    const app = createRunsApp({
      authenticate: async () => ({ role: 'all', creator }),
      api: [
        createRunsRoutes({
          runs,
          modelCalls: stores.modelCalls,
          queue: stores.queueStore,
          readProgress: createProgressReader(stores),
          visibleRuns: createVisibleRuns(runs, (query) => listStoredRuns(db(), query)),
          control: {
            wake: () => {},
            cancel: async () => {},
            followUp: async () => {},
            answer: async () => {},
            replaceSessionLink: async () => undefined,
            publish: async () => {},
            actOnPullRequest: async () => {},
          },
          environments: () => [],
          readResults: async () => () => ({ artifacts: [] }),
          sessionLink: () => '',
        }),
      ],
      open: [],
      logger: createLogger('silent'),
    });
    const ask = (query: string) =>
      app.request(`/api/v1/agent/runs?${query}`, { headers: { authorization: 'Bearer k' } });
    const list = async (query: string): Promise<ListRunsResponse> =>
      listRunsResponseSchema.parse(await (await ask(query)).json());
    return { runs, ask, list };
  }

  describe('a list of runs', () => {
    const byTag = (tag: string) => `metadata[tag]=${tag}`;

    beforeAll(async () => {
      const runs = createRuns(db());
      const metadata = { tag: 'filters' };
      await runs.create(aServiceRun({ title: 'Fix 100% of it', config_name: 'nightly', metadata }));
      await runs.create(aServiceRun({ prompt: 'Zürich ÄPFEL', model_id: 'opus', metadata }));
      await runs.create(aServiceRun({ creator_uid: 'bob', source: 'SLACK', metadata }));
      const last = await runs.create(
        aServiceRun({
          environment_id: 'docs',
          skill_spec: 'o/r:s',
          metadata: { ...metadata, team: 'T1' },
        }),
      );
      await runs.change(last.id, ['QUEUED'], { state: 'CANCELLED' });
    });

    const filters: [query: string, count: number][] = [
      ['', 4],
      ['name=nightly', 1],
      ['config_name=nightly', 1],
      ['model_id=opus', 1],
      ['creator=bob', 1],
      ['creator=nobody', 0],
      ['source=SLACK', 1],
      ['environment_id=docs', 1],
      ['skill_spec=o/r:s', 1],
      ['state=CANCELLED', 1],
      ['state=QUEUED&state=CANCELLED', 4],
      ['state=QUEUED&creator=bob', 1],
      ['q=100%25', 1],
      ['q=%25', 1],
      ['q=_', 0],
      ['q=äpfel', 1],
      ['metadata[team]=T1', 1],
      ['metadata[team]=T2', 0],
      ['created_after=2099-01-01T00:00:00Z', 0],
      ['created_before=2099-01-01T00:00:00%2B02:00', 4],
      ['updated_after=2001-01-01T00:00:00.123Z', 4],
    ];
    it.each(filters)('with %s has %i', async (query, count) => {
      const { runs } = await listEndpoint().list(`${byTag('filters')}&${query}`);
      expect(runs).toHaveLength(count);
    });

    it.each([
      'limit=0',
      'limit=x',
      'sort_by=prompt',
      'sort_by=agent',
      'skill=o/r:s',
      'skill=',
      'artifact_type=PLAN',
      'schedule_id=s1',
      'unknown_filter=1',
      'metadata=x',
      'creator=ada&creator=bob',
      'sort_order=up',
      'created_after=yesterday',
      'cursor=rubbish',
      'creator=%00',
      'q=a%00b',
      ...[
        '["title","asc","x","y",1]',
        '["updated_at","desc","x","y",1]',
        '["updated_at","desc",1,"\\u0000",1]',
        '["updated_at","desc",1e300,"y",1]',
        '["updated_at","desc",1,"y",1.5]',
        '["updated_at","desc",1,"y"]',
      ].map((cursor) => `cursor=${Buffer.from(cursor).toString('base64url')}`),
    ])('rejects %s as malformed', async (query) => {
      const answer = await listEndpoint().ask(query);
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain(query.split('=')[0]);
    });
  });

  it('an impossible run id is not found', async () => {
    const runs = createRuns(db());
    for (const id of ['\0', 'a\0b', '', '%00']) expect(await runs.get(id)).toBeUndefined();
    expect(await runs.getBySessionToken('\0')).toBeUndefined();
  });

  describe('pages', () => {
    type Step = (page: number, ids: string[]) => Promise<void>;

    async function walk(tag: string, query: string, between: Step): Promise<string[]> {
      const { list } = listEndpoint();
      const seen: string[] = [];
      let cursor = '';
      for (let page = 1; ; page += 1) {
        const { runs, page_info } = await list(
          `metadata[tag]=${tag}&limit=3&${query}${cursor && `&cursor=${cursor}`}`,
        );
        seen.push(...runs.map(({ run_id }) => run_id));
        if (!page_info.has_next_page) return seen;
        cursor = page_info.next_cursor ?? '';
        await between(page, seen);
      }
    }

    const sortings = ['updated_at', 'created_at', 'title'].flatMap((by) => [
      `sort_by=${by}&sort_order=desc`,
      `sort_by=${by}&sort_order=asc`,
    ]);
    it.each(sortings)("don't skip or repeat runs while runs change (%s)", async (query) => {
      const { runs } = listEndpoint();
      const tag = query.replace(/\W/g, '');
      const ids: string[] = [];
      for (let count = 0; count < 10; count += 1)
        ids.push((await runs.create(aServiceRun({ metadata: { tag } }))).id);
      const touch = (id: string) => runs.change(id, ['QUEUED'], { note: 'touched' });
      const seen = await walk(tag, query, async (page, before) => {
        // Change one run of an earlier page, and the first and last of the later pages. Add a new one.
        const waiting = ids.filter((id) => !before.includes(id));
        for (const id of [before[0], waiting[0], waiting.at(-1)]) if (id) await touch(id);
        if (page === 1) await runs.create(aServiceRun({ metadata: { tag } }));
      });
      const known = seen.filter((id) => ids.includes(id));
      expect(known.toSorted()).toEqual(ids.toSorted());
      expect(new Set(seen).size).toBe(seen.length);
    });

    it('are in the requested order', async () => {
      const { runs, list } = listEndpoint();
      const metadata = { tag: 'order' };
      for (const title of ['b', 'c', 'a']) await runs.create(aServiceRun({ title, metadata }));
      const titles = async (query: string) =>
        (await list(`metadata[tag]=order&${query}`)).runs.map((run) => run.title);
      expect(await titles('')).toEqual(['a', 'c', 'b']);
      expect(await titles('sort_order=asc')).toEqual(['b', 'c', 'a']);
      expect(await titles('sort_by=title&sort_order=asc')).toEqual(['a', 'b', 'c']);
    });
  });

  describe('a run in the store', () => {
    it('has an updated_at that grows with every change', async () => {
      const runs = createRuns(db());
      const { id, updated_at } = await runs.create(aServiceRun());
      const moments = [updated_at];
      for (let count = 0; count < 50; count += 1) {
        const changed = await runs.change(id, ['QUEUED'], {});
        moments.push(changed?.updated_at ?? 0);
      }
      expect(moments).toEqual([...new Set(moments)].toSorted((a, b) => a - b));
    });

    it('is changed by only one of two concurrent writers', async () => {
      const runs = createRuns(db());
      const { id } = await runs.create(aServiceRun());
      const claim = (owner: string) =>
        runs.change(id, ['QUEUED'], {
          state: 'INPROGRESS',
          lease: { owner, forMs: 1000 },
        });
      const claims = await Promise.all(['a', 'b', 'c'].map(claim));
      expect(claims.filter(Boolean)).toHaveLength(1);
      const other = claims.some((run) => run?.lease_owner === 'a') ? 'b' : 'a';
      expect(await runs.change(id, ['INPROGRESS'], { state: 'FAILED' }, other)).toBeUndefined();
    });

    it('is lost once its lease expires, but not before or after a renewal', async () => {
      const runs = createRuns(db());
      const queue = createStores(db()).queueStore;
      const lost = async () => (await queue.listActive('expired')).map((run) => run.id);
      const claim = async (forMs: number) => {
        const { id } = await runs.create(aServiceRun());
        const lease = { owner: `owner of ${id}`, forMs };
        await runs.change(id, ['QUEUED'], { state: 'INPROGRESS', lease });
        return id;
      };
      const fresh = await claim(60_000);
      const silent = await claim(-1_000);
      expect(await lost()).toContain(silent);
      expect(await lost()).not.toContain(fresh);
      await queue.renewLeases(`owner of ${silent}`, 60_000);
      expect(await lost()).not.toContain(silent);
    });
  });
});
