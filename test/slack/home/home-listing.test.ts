import type { Run } from 'runs-client/contract';
import { beforeEach, expect, it } from 'vitest';
import type { HomeFilter } from '../../../src/slack/home/filter/home-filter.ts';
import { readListing } from '../../../src/slack/home/listing/home-listing.ts';
import { createRequestList } from '../../../src/store/requests/request-list.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import { aRun } from '../../support/builders.ts';
import { useDatabase } from '../../support/database/databases.ts';

const teamId = 'T1';
const database = useDatabase();

beforeEach(async () => {
  const requests = createRequests(database());
  await requests.accept({
    id: 'secret',
    teamId,
    channelId: 'C1',
    creatorId: 'creator',
    title: 'Behind the door',
    prompt: 'count',
    config: {},
    acceptedAt: Date.now(),
  });
});

async function titles(runs: readonly Run[], userId: string, filter: Partial<HomeFilter> = {}) {
  const noted: string[] = [];
  const list = () => Promise.resolve({ runs, page_info: { has_next_page: false } });
  const parts = {
    list: createRequestList(database()),
    requests: createRequests(database()),
    readOwnRuns: () => ({ connectionId: 'default', serviceId: 'default', list }) as never,
    connections: {
      usual: async () => 'default',
    },
    apiCreators: {
      uidOf: async () => undefined,
      note: async (_: string, seen: readonly Run[]) => void noted.push(...seen.map(titleOf)),
    },
  };
  const listing = await readListing(parts, {
    viewer: { teamId, userId },
    cursor: undefined,
    filter: { creator: 'everyone', ...filter } as HomeFilter,
  });
  return { shown: listing.rows.map(({ title }) => title), noted };
}

const titleOf = ({ title }: Run) => title ?? '';
/** The service lists it before its id is stored. */
const ours = aRun({
  run_id: 'run-1',
  title: 'Behind the door',
  metadata: { request_id: 'secret' },
});
const foreign = aRun({
  run_id: 'run-2',
  title: 'From afar',
  prompt: 'use password=hunter2abc and go',
});

it('drops a run of a private conversation, also while its id is not stored yet', async () => {
  const runs = [ours, foreign];
  expect(await titles(runs, 'stranger')).toEqual({ shown: ['From afar'], noted: ['From afar'] });
  const { shown } = await titles(runs, 'creator');
  expect(shown.toSorted()).toEqual(['Behind the door', 'From afar']);
});

it('search finds no run of the service by what is masked', async () => {
  const search = async (words: string) =>
    (await titles([foreign], 'creator', { search: words })).shown;
  expect([await search('hunter2'), await search('use password')]).toEqual([[], ['From afar']]);
});
