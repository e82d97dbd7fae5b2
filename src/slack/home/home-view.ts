import type { ActionsBlock, HomeView, KnownBlock } from '@slack/types';
import type { StateGroup } from '../../store/request-list.ts';
import { actions, button, context, header, section, time } from '../blocks.ts';
import type { HomeFilter } from './home-filter.ts';
import { isNarrowed } from './home-filter.ts';
import { homeActions, renderFilterRow } from './home-filter-row.ts';
import type { Listing } from './home-listing.ts';
import { rowsShown } from './home-listing.ts';
import { renderRow } from './home-row-view.ts';
import type { HomeRow } from './home-rows.ts';

/** `known`: what was listed before (epoch milliseconds) or what the store knows, while the service is asked. */
export type Freshness =
  | { kind: 'fresh' }
  | { kind: 'asking'; listedAt?: number | undefined }
  | { kind: 'failed'; sentence: string; listedAt?: number | undefined };

export type HomeContent = {
  filter: HomeFilter;
  listing: Listing;
  /** From 1. */
  page: number;
  /** Runs of the viewer that go on. */
  live: readonly HomeRow[];
  counts: Record<StateGroup, number>;
  freshness: Freshness;
};

export function renderHome(content: HomeContent): HomeView {
  const { filter, listing, page, live } = content;
  const isFirst = page === 1;
  const onTop = isFirst ? live : [];
  const ids = new Set(onTop.map(({ requestId }) => requestId));
  const rows = listing.rows.filter(({ requestId }) => !requestId || !ids.has(requestId));
  const isEmpty = listing.rows.length === 0 && onTop.length === 0;
  return {
    type: 'home',
    blocks: [
      header('Agent runs'),
      ...renderFilterRow(filter),
      ...renderCounts(content.counts),
      ...renderFreshness(content.freshness, !isEmpty),
      ...(onTop.length > 0 ? [section('*Yours, going on*')] : []),
      ...onTop.map((row, index) => renderRow(row, `live-${index}`)),
      { type: 'divider' },
      ...rows.slice(0, rowsShown * 2).map((row, index) => renderRow(row, `${index}`)),
      ...(isEmpty && content.freshness.kind === 'fresh' ? renderEmpty(filter, page) : []),
      ...renderPaging(listing, page),
    ],
  };
}

const signs: Record<StateGroup, string> = {
  live: '▶️',
  succeeded: '✅',
  failed: '❌',
  cancelled: '🚫',
};
const words: Record<StateGroup, string> = {
  live: 'going on',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
};
const barLength = 10;

/** The last seven days as numbers, and as a bar of the share that succeeded. */
function renderCounts(counts: Record<StateGroup, number>): KnownBlock[] {
  const groups = Object.keys(words) as StateGroup[];
  const facts = groups.filter((group) => counts[group] > 0);
  if (facts.length === 0) return [];
  const ended = counts.succeeded + counts.failed + counts.cancelled;
  const filled = ended === 0 ? 0 : Math.round((counts.succeeded / ended) * barLength);
  const bar = '▰'.repeat(filled) + '▱'.repeat(barLength - filled);
  const numbers = facts.map((group) => `${signs[group]} ${counts[group]} ${words[group]}`);
  const line = `Started here in the last seven days:  ${numbers.join('  ·  ')}`;
  return [context(ended === 0 ? line : `${line}  ·  ${bar}`)];
}

function renderFreshness(freshness: Freshness, hasRows: boolean): KnownBlock[] {
  switch (freshness.kind) {
    case 'fresh':
      return [];
    case 'asking':
      return [context(`⏳ Asking the runs service … ${hasRows ? below(freshness.listedAt) : ''}`)];
    case 'failed':
      return [
        section(
          `⚠️ ${freshness.sentence} ${hasRows ? below(freshness.listedAt) : 'Until then there is no list of runs; *Refresh* asks again.'}`,
        ),
      ];
  }
}

const below = (listedAt: number | undefined) =>
  listedAt === undefined
    ? 'Below are the runs that were started here.'
    : `Below is what was known ${time(listedAt)}.`;

function renderPaging({ next }: Listing, page: number): ActionsBlock[] {
  const buttons = [
    ...(page > 1 ? [button(homeActions.newer, '← Newer')] : []),
    ...(next ? [button(homeActions.older, 'Older →')] : []),
  ];
  return buttons.length > 0 ? [actions(buttons)] : [];
}

function renderEmpty(filter: HomeFilter, page: number): KnownBlock[] {
  if (page > 1) return [section('There are no older runs.')];
  if (isNarrowed(filter)) {
    return [section('No run fits this filter.'), actions([button(homeActions.clear, 'Show all')])];
  }
  switch (filter.creator) {
    case 'person':
      return [section('No runs of this person.')];
    case 'elsewhere':
      return [section('The runs service lists no runs that were started outside of Slack.')];
    case 'me':
    case 'everyone':
      return renderFirstUse(filter.creator);
  }
}

/** The page of somebody who has just met the app. */
function renderFirstUse(creator: 'me' | 'everyone'): KnownBlock[] {
  const nobody = creator === 'me' ? 'You have not' : 'Nobody has';
  return [
    section(
      `*${nobody} started a run yet.* A run is a piece of work for a cloud agent: it gets a prompt and an environment, and one message in Slack follows it to its end.`,
    ),
    section(
      [
        '*To start one*',
        '•  `/agent` in any channel opens a form.',
        '•  `/agent count the TODO comments` opens it with the prompt filled in.',
        '•  `/agent run count the TODO comments` starts at once.',
        '•  *Run agent on message*, in the menu of any message, starts from what it says.',
        '•  *New run*, above, opens the form from here.',
      ].join('\n'),
    ),
    context(
      '`/agent help` says everything else. Runs that were started elsewhere are listed here too.',
    ),
  ];
}
