import type { ListRunsQuery, Run } from 'runs-client/contract';
import { beforeEach, expect, it } from 'vitest';
import type { HomeFilter } from '../../../src/slack/home/home-filter.ts';
import { createHomeListing } from '../../../src/slack/home/home-listing.ts';
import { createRequestList } from '../../../src/store/requests/request-list.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import { aRun } from '../../support/builders.ts';
import { useDatabase } from '../../support/database/databases.ts';
import { makePublic } from '../../support/database/many-requests.ts';

const teamId = 'T1';
const database = useDatabase();
beforeEach(async () => {
  await database().deleteFrom('requests').execute();
});

const everyone: HomeFilter = { creator: 'everyone' };
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

const runOf = (title: string, minute: number, more: Partial<Run> = {}) =>
  aRun({
    run_id: `run-${title}`,
    title,
    creator: { type: 'service_account', uid: 'nightly' },
    created_at: new Date(timeOf(minute)).toISOString(),
    ...more,
  });
/** Builds a run that was started in Slack. The service lists it before the app has stored its ID. */
const ourRunOf = (title: string, minute: number) =>
  runOf(title, minute, { metadata: { request_id: title } });

/** Creates a service whose cursor is an offset. */
function listedBy(runs: readonly Run[]) {
  const queries: ListRunsQuery[] = [];
  const list = async (query: ListRunsQuery) => {
    queries.push(query);
    const { cursor, limit = 20 } = query;
    const found = runs.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
    const from = Number(cursor ?? 0);
    const hasNext = from + limit < found.length;
    return {
      runs: found.slice(from, from + limit),
      page_info: { has_next_page: hasNext, ...(hasNext && { next_cursor: String(from + limit) }) },
    };
  };
  return { queries, list };
}

async function pages(
  { list }: Pick<ReturnType<typeof listedBy>, 'list'>,
  { viewer = 'ada', filter = everyone } = {},
) {
  const listing = createHomeListing({
    list: createRequestList(database()),
    requests: createRequests(database()),
    readOwnRuns: () => ({
      connectionId: 'default',
      serviceId: 'default',
      list,
      find: () => Promise.reject(new Error('not called')),
    }),
    connections: { usual: async () => 'default' },
  });
  const found: (readonly { title: string; at: number | null }[])[] = [];
  let cursor: string | undefined;
  do {
    const page = await listing.read({ viewer: { teamId, userId: viewer }, filter, cursor });
    found.push(page.rows);
    cursor = page.next;
  } while (cursor !== undefined && found.length < 20);
  return found;
}
const titles = (found: Awaited<ReturnType<typeof pages>>) =>
  found.map((rows) => rows.map(({ title }) => title));

it('lists what was started from Slack and elsewhere once, newest first', async () => {
  await accept('slack', 2);
  const service = listedBy([ourRunOf('slack', 2), runOf('new', 3), runOf('old', 1)]);
  expect(titles(await pages(service))).toEqual([['new', 'slack', 'old']]);
});

it.each<HomeFilter>([
  { creator: 'me' },
  { creator: 'person', userId: 'ada' },
  { creator: 'everyone', state: 'review' },
])('asks no service for %o', async (filter) => {
  const service = listedBy([runOf('new', 3)]);
  await accept('slack', 2);
  expect(titles(await pages(service, { filter })).flat()).not.toContain('new');
  expect(service.queries).toEqual([]);
});

it('drops a run of a private conversation, also while its id is not stored yet', async () => {
  await accept('secret', 2, 'private');
  const service = listedBy([ourRunOf('secret', 2), runOf('cli', 1)]);
  expect(titles(await pages(service, { viewer: 'grace' }))).toEqual([['cli']]);
  expect(titles(await pages(service))).toEqual([['secret', 'cli']]);
});

it('search finds no run of the service by what is masked', async () => {
  const service = listedBy([runOf('From afar', 1, { prompt: 'use password=hunter2abc and go' })]);
  const search = (words: string) => pages(service, { filter: { ...everyone, search: words } });
  expect(titles(await search('hunter2'))).toEqual([[]]);
  expect(titles(await search('use password'))).toEqual([['From afar']]);
});

it('lists everyone in order, even if the newest page of the service is hidden from the viewer', async () => {
  const runs: Run[] = [];
  for (let minute = 10; minute < 35; minute += 1) {
    await accept(`secret-${minute}`, minute, 'private');
    runs.push(ourRunOf(`secret-${minute}`, minute));
  }
  await accept('slack', 1);
  await makePublic(database(), 'C1');
  const service = listedBy([...runs, runOf('cli', 2)]);
  expect(titles(await pages(service, { viewer: 'grace' }))).toEqual([['cli', 'slack']]);
});

it('pages through both in order, without losing or repeating a run', async () => {
  const runs: Run[] = [];
  for (let minute = 0; minute < 50; minute += 1) {
    await accept(`slack-${minute}`, minute);
    // The app hasn't stored the IDs of these runs yet.
    if (minute % 2 > 0) runs.push(ourRunOf(`slack-${minute}`, minute));
    // Some runs have the same time, because some services round it.
    if (minute > 25) runs.push(runOf(`cli-${minute}`, minute - (minute % 7)));
  }
  const found = await pages(listedBy(runs));
  expect(new Set(titles(found).flat()).size).toBe(74);
  const times = found.flat().map(({ at }) => at ?? 0);
  expect(times).toHaveLength(74);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  expect(found.every(({ length }) => length > 0 && length <= 20)).toBe(true);
});

it('continues with older runs after one whose time cannot be read', async () => {
  const runs = Array.from({ length: 30 }, (_, index) => runOf(`run ${index}`, 60 - index));
  const odd = runOf('odd', 0, { created_at: '' });
  const sorted = [odd, ...runs];
  const list = async ({ cursor, limit = 20 }: ListRunsQuery) => {
    const from = Number(cursor ?? 0);
    const next = from + limit < sorted.length ? String(from + limit) : undefined;
    return {
      runs: sorted.slice(from, from + limit),
      page_info: { has_next_page: next !== undefined, ...(next && { next_cursor: next }) },
    };
  };
  const found = await pages({ list });
  expect(titles(found).flat().toSorted()).toEqual(sorted.map(({ title }) => title).toSorted());
});
