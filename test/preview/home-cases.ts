import { requestRow, runRow } from '../../src/slack/home/home-rows.ts';
import { renderHome } from '../../src/slack/home/home-view.ts';
import { aRun } from '../support/builders.ts';
import { messageCases } from './message-cases.ts';

type HomeContent = Parameters<typeof renderHome>[0];

const rows = messageCases.map(([, request], index) =>
  requestRow({ ...request, id: `T1-V${index}` }),
);
const elsewhere = runRow(
  aRun({
    title: 'Nightly dependency update',
    state: 'SUCCEEDED',
    source: 'SCHEDULED_AGENT',
    creator: { display_name: 'Release service' },
    agent_config: { environment_id: 'shop' },
    session_link: 'https://runs.example.com/session/77',
  }),
);
const listedAt = 1_793_536_496_000;
const nothing = { live: 0, succeeded: 0, failed: 0, cancelled: 0 };
const usual: HomeContent = {
  filter: { creator: 'everyone' },
  listing: { rows: [...rows, elsewhere], next: '…' },
  page: 1,
  live: rows.slice(3, 4),
  counts: { live: 2, succeeded: 41, failed: 5, cancelled: 1 },
  freshness: { kind: 'fresh' },
};
const empty: HomeContent = { ...usual, listing: { rows: [] }, live: [], counts: nothing };
const failed = { kind: 'failed', sentence: 'The runs service cannot be reached.' } as const;

const contents: [name: string, content: HomeContent][] = [
  ['everyone’s runs', usual],
  ['the second page', { ...usual, page: 2, listing: { rows: rows.slice(0, 3) } }],
  ['a first use', { ...empty, filter: { creator: 'me' } }],
  ['nothing fits', { ...empty, filter: { creator: 'everyone', state: 'failed', search: 'login' } }],
  ['nobody’s runs', { ...empty, filter: { creator: 'person', userId: 'U04GRACEHOP' } }],
  ['nothing elsewhere', { ...empty, filter: { creator: 'elsewhere' } }],
  ['asking', { ...usual, freshness: { kind: 'asking', listedAt } }],
  ['asking for the first time', { ...empty, freshness: { kind: 'asking' } }],
  ['the service away', { ...usual, freshness: { ...failed, listedAt } }],
  ['the service away at first', { ...empty, freshness: failed }],
];

/** The Home tab in every state that people meet. */
export const homeCases = contents.map(([name, content]) => ({ name, view: renderHome(content) }));
