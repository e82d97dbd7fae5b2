import type { ListRunsQuery, Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import { beforeEach, expect, it } from 'vitest';
import type { HomeFilter } from '../../../src/slack/home/filter/home-filter.ts';
import { createApiCreators } from '../../../src/slack/home/listing/api-creators.ts';
import { readListing } from '../../../src/slack/home/listing/home-listing.ts';
import { createRunCreators } from '../../../src/store/people/run-creators.ts';
import { createRequestList } from '../../../src/store/requests/request-list.ts';
import { knownRun } from '../../../src/store/requests/request-row.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import { aRun } from '../../support/builders.ts';
import { useDatabase } from '../../support/database/databases.ts';
import { makePublic } from '../../support/database/many-requests.ts';

const teamId = 'T1';
const email = 'Ada@Example.com';
const database = useDatabase();
beforeEach(async () => {
  await database().deleteFrom('requests').execute();
});

const timeOf = (minute: number) => Date.UTC(2026, 0, 1, 0, minute);

async function accept(title: string, minute: number, channelId = 'C1') {
  const requests = createRequests(database());
  await requests.accept({
    id: title,
    teamId,
    channelId,
    creatorId: 'ada',
    title,
    prompt: 'count',
    config: {},
    acceptedAt: timeOf(minute),
  });
}

const runOf = (title: string, minute: number, creator: Run['creator'], more: Partial<Run> = {}) =>
  aRun({
    run_id: `run-${title}`,
    title,
    creator,
    created_at: new Date(timeOf(minute)).toISOString(),
    ...more,
  });
/** As the embedded service names a person. */
const ada = { type: 'user', uid: 'ada@example.com' };

/** Filters by creator, pages by place. */
function listedBy(runs: readonly Run[], { filters = true } = {}) {
  const asked: (string | undefined)[] = [];
  const list = async ({ creator, cursor, limit = 20 }: ListRunsQuery) => {
    asked.push(creator);
    const found = runs
      .filter((run) => !filters || !creator || run.creator?.uid === creator)
      .toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
    const from = Number(cursor ?? 0);
    const hasNext = from + limit < found.length;
    return {
      runs: found.slice(from, from + limit),
      page_info: { has_next_page: hasNext, ...(hasNext && { next_cursor: String(from + limit) }) },
    };
  };
  return { asked, list: list as never };
}

async function pages(
  service: { list: never },
  { viewer = 'ada', filter = { creator: 'me' } as HomeFilter, merges = true } = {},
) {
  const requests = createRequests(database());
  const { list } = service;
  const looking = {
    readOwnRuns: () => ({ connectionId: 'default', serviceId: 'default', list }) as never,
    connections: {
      usual: async () => 'default',
      usualOfAll: async () => 'default',
    },
  };
  const apiCreators = createApiCreators({
    creators: createRunCreators(database()),
    requests,
    ...looking,
  });
  const parts = {
    list: createRequestList(database()),
    requests,
    ...looking,
    apiCreators,
    ...(merges && { readIdentity: async (id: string) => (id === 'ada' ? email : undefined) }),
  };
  const found: (readonly { title: string; creator: object; at: number | null }[])[] = [];
  let cursor: string | undefined;
  do {
    const question = { viewer: { teamId, userId: viewer }, filter, cursor };
    const listing = await readListing(parts, question);
    found.push(listing.rows);
    cursor = listing.next;
  } while (cursor !== undefined && found.length < 20);
  return found;
}
const titles = (found: Awaited<ReturnType<typeof pages>>) =>
  found.map((rows) => rows.map(({ title }) => title));

it('lists what a person started from Slack and elsewhere once, newest first, under one name', async () => {
  await accept('slack', 2);
  const ours = runOf('slack', 2, ada, { metadata: { request_id: 'slack' } });
  const other = runOf('other', 4, { type: 'user', uid: 'grace@example.com' });
  const service = listedBy([ours, runOf('new', 3, ada), runOf('old', 1, ada), other]);
  const found = await pages(service);
  expect(titles(found)).toEqual([['new', 'slack', 'old']]);
  expect(JSON.stringify(found)).not.toMatch(/example\.com/i);
  expect(found[0]?.map(({ creator }) => creator)).toEqual(
    Array.from({ length: 3 }, () => ({ slackUserId: 'ada' })),
  );
});

it('lists only what was started from Slack while runs are the app’s', async () => {
  await accept('slack', 2);
  const service = listedBy([runOf('new', 3, ada)]);
  expect(titles(await pages(service, { merges: false }))).toEqual([['slack']]);
  expect(service.asked).toEqual([]);
});

it('finds a person whom the service knows by its own ID, by the address of their runs', async () => {
  const own = { type: 'user', uid: 'user-17', email: 'ADA@example.com' };
  expect(titles(await pages(listedBy([runOf('cli', 3, own)])))).toEqual([['cli']]);
});

it('learns that ID also from a run that was started from Slack, however old the others are', async () => {
  await accept('slack', 2);
  const own = { type: 'user', uid: 'user-17', email: 'ada@example.com' };
  const ours = runOf('slack', 2, own, { metadata: { request_id: 'slack' } });
  await database()
    .updateTable('requests')
    .set({ run_json: knownRun('slack', ours) })
    .execute();
  const service = listedBy([ours, runOf('cli', 1, { type: 'user', uid: 'user-17' })]);
  expect(titles(await pages(service))).toEqual([['slack', 'cli']]);
  expect(new Set(service.asked)).toEqual(new Set(['user-17']));
});

it('takes runs of no one else from a service that ignores the filter', async () => {
  await accept('slack', 2);
  const other = runOf('other', 4, { type: 'user', uid: 'user-1', email: 'grace@example.com' });
  const service = listedBy([other, runOf('cli', 3, ada)], { filters: false });
  expect(titles(await pages(service))).toEqual([['cli', 'slack']]);
});

it('shows others no runs of private conversations', async () => {
  await accept('secret', 2, 'private');
  const ours = runOf('secret', 2, ada, { metadata: { request_id: 'secret' } });
  const service = listedBy([ours, runOf('cli', 1, ada)]);
  const filter = { creator: 'person', userId: 'ada' } as const;
  expect(titles(await pages(service, { viewer: 'grace', filter }))).toEqual([['cli']]);
  expect(titles(await pages(service, { filter }))).toEqual([['secret', 'cli']]);
});

it('lists everyone in order, even if the newest page of the service is hidden from the viewer', async () => {
  const runs: Run[] = [];
  for (let minute = 10; minute < 35; minute += 1) {
    await accept(`secret-${minute}`, minute, 'private');
    runs.push(
      runOf(`secret-${minute}`, minute, ada, { metadata: { request_id: `secret-${minute}` } }),
    );
  }
  await accept('slack', 1);
  await makePublic(database(), 'C1');
  const service = listedBy([...runs, runOf('cli', 2, ada)]);
  const filter = { creator: 'everyone' } as const;
  expect(titles(await pages(service, { viewer: 'grace', filter }))).toEqual([['cli', 'slack']]);
});

it('pages through both in order, without losing or repeating a run', async () => {
  const runs: Run[] = [];
  for (let minute = 0; minute < 50; minute += 1) {
    await accept(`slack-${minute}`, minute);
    const metadata = { request_id: `slack-${minute}` };
    // Some are the app's, and not listed under the person.
    if (minute % 2 > 0) runs.push(runOf(`slack-${minute}`, minute, ada, { metadata }));
    // In one second, as services with coarse clocks say it.
    if (minute > 25) runs.push(runOf(`cli-${minute}`, minute - (minute % 7), ada));
  }
  const found = await pages(listedBy(runs));
  expect(new Set(titles(found).flat()).size).toBe(74);
  const times = found.flat().map(({ at }) => at ?? 0);
  expect(times).toHaveLength(74);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  expect(found.every(({ length }) => length > 0 && length <= 20)).toBe(true);
});

it.each([400, 404, 422])(
  'a service that does not know the creator has none: %i',
  async (status) => {
    await accept('slack', 2);
    const refused = async () => {
      throw new RunsApiError({
        code: 'bad_request',
        message: 'no such creator',
        status,
        sent: true,
      });
    };
    expect(titles(await pages({ list: refused as never }))).toEqual([['slack']]);
  },
);

it('goes on to older runs after one whose time cannot be read', async () => {
  const runs = Array.from({ length: 30 }, (_, index) => runOf(`run ${index}`, 60 - index, ada));
  const odd = runOf('odd', 0, ada, { created_at: '' });
  const sorted = [odd, ...runs];
  const list = async ({ cursor, limit = 20 }: ListRunsQuery) => {
    const from = Number(cursor ?? 0);
    const next = from + limit < sorted.length ? String(from + limit) : undefined;
    return {
      runs: sorted.slice(from, from + limit),
      page_info: { has_next_page: next !== undefined, ...(next && { next_cursor: next }) },
    };
  };
  const found = await pages({ list: list as never }, { filter: { creator: 'everyone' } });
  expect(titles(found).flat().toSorted()).toEqual(sorted.map(({ title }) => title).toSorted());
});
