import { renderDenied, renderHome } from '../../../src/slack/home/home-view.ts';
import { renderRunCard } from '../../../src/slack/link-unfurl/run-card.ts';
import { denySee } from '../../../src/slack/people/permissions.ts';
import { requestRow, runRow, withReason } from '../../../src/slack/runs/showing/run-rows.ts';
import { aRun } from '../../support/builders.ts';
import { messageCases } from './message-cases.ts';

type HomeContent = Parameters<typeof renderHome>[0];

/** The preview renders its own pictures, because it can't fetch those of Slack. */
const picture = (name: string) => ({
  name,
  picture: `https://avatars.slack-edge.com/${name.split(' ')[0]?.toLowerCase()}_48.png`,
  teamIds: ['T1'],
  role: 'member' as const,
  isAdmin: false,
  timeZone: 'UTC',
});
const people = new Map([['U04ADALOVEL', picture('Ada Lovelace')]]);
const rows = messageCases.map(([, request], index) => {
  const shown = { ...request, id: `T1-V${index}` };
  return withReason(requestRow(shown), shown);
});
const waiting = rows.filter(({ label }) => label.word === 'Needs input').slice(0, 2);
const active = rows.filter(({ label }) => label.word === 'In progress').slice(0, 1);
const elsewhere = runRow({
  connectionId: 'default',
  run: aRun({
    title: 'Nightly dependency update',
    state: 'SUCCEEDED',
    source: 'SCHEDULED_AGENT',
    creator: { display_name: 'Release service' },
    agent_config: { environment_id: 'shop' },
    session_link: 'https://runs.example.com/session/77',
  }),
});
/** Rows of the card that unfurls a link to a run. */
const cardRows = [3, 7].flatMap((index) => messageCases[index]?.[1] ?? []).map(requestRow);
export const linkCards = [...cardRows, elsewhere].flatMap((row) =>
  row ? [{ name: row.label.word, blocks: renderRunCard(row, people) }] : [],
);
const listedAt = 1_793_536_496_000;
const nothing = { live: 0, succeeded: 0, failed: 0, cancelled: 0, notStarted: 0 };
const viewer = {
  userId: 'U04ADALOVEL',
  canCancelAll: false,
  people,
};
const usual: HomeContent = {
  viewer,
  scopes: { canPost: true },
  isKeyRejected: false,
  filter: { creator: 'everyone' },
  listing: { rows: [...rows, elsewhere].slice(0, 40), next: '…' },
  page: 1,
  waiting,
  active,
  counts: { live: 2, succeeded: 41, failed: 5, cancelled: 1, notStarted: 2 },
  freshness: { kind: 'fresh' },
};
const empty: HomeContent = {
  ...usual,
  listing: { rows: [] },
  waiting: [],
  active: [],
  counts: nothing,
};
const few = {
  required: ['app_mentions:read', 'chat:write'],
  optional: [],
  granted: 20,
  requested: 22,
  allowUrl: undefined,
};
const allowUrl = 'https://agent.example.com/slack/install';
const unposted = new Set(
  rows.flatMap(({ ref }) => ('requestId' in ref ? [ref.requestId] : [])).slice(-1),
);
const failed = { kind: 'failed', sentence: "The runs service can't be reached." } as const;

const contents: [name: string, content: HomeContent][] = [
  ["everyone's runs", usual],
  ['the second page', { ...usual, page: 2, listing: { rows: rows.slice(0, 3) } }],
  ['first use', { ...empty, filter: { creator: 'me' } }],
  ['no matches', { ...empty, filter: { creator: 'everyone', state: 'failed', search: 'login' } }],
  [
    'no matches below more active runs than fit',
    { ...empty, filter: { creator: 'me', state: 'failed' }, active, hasMoreActive: true },
  ],
  ['nearly all succeeded', { ...empty, counts: { ...nothing, succeeded: 499, failed: 1 } }],
  ['a rejected key', { ...empty, filter: { creator: 'me' }, isKeyRejected: true }],
  ['no runs by a person', { ...empty, filter: { creator: 'person', userId: 'U04GRACEHOP' } }],
  ['no runs by automations', { ...empty, filter: { creator: 'automations' } }],
  ['no runs started elsewhere', { ...empty, filter: { creator: 'elsewhere' } }],
  [
    'few scopes granted, for an admin',
    { ...usual, viewer: { ...viewer, unposted }, scopes: { canPost: false, missing: few } },
  ],
  [
    'few scopes granted by OAuth',
    { ...empty, scopes: { canPost: true, missing: { ...few, allowUrl } } },
  ],
  ['no right to post, for others', { ...empty, scopes: { canPost: false } }],
  ['loading', { ...usual, freshness: { kind: 'asking', listedAt } }],
  ['loading for the first time', { ...empty, freshness: { kind: 'asking' } }],
  ['the service away', { ...usual, freshness: { ...failed, listedAt } }],
  ['the service away the first time', { ...empty, freshness: failed }],
];

/** Every state of the Home tab. */
export const homeCases = [
  ...contents.map(([name, content]) => ({ name, view: renderHome(content) })),
  {
    name: 'a guest',
    view: renderDenied(denySee({ role: 'guest', isAdmin: false }) ?? ''),
  },
];
