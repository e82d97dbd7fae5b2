/** Renders all states of the Home tab. */
import type { ActionsBlock, HomeView, KnownBlock } from '@slack/types';
import type { RequestCounts } from '../../store/requests/request-list.ts';
import { type RowViewer, renderRow, renderWaitingRow } from '../runs/showing/run-row-view.ts';
import { isSameRun, type RunRow } from '../runs/showing/run-rows.ts';
import { actions, button, context, header, section } from '../text/blocks.ts';
import { time } from '../text/dates.ts';
import type { HomeFilter } from './home-filter.ts';
import { homeActions, renderFilterRow } from './home-filter-row.ts';
import { renderEmpty } from './home-first-use.ts';
import type { Listing } from './home-listing.ts';
import { type HomeScopes, renderHomeScopes } from './home-scopes.ts';

/**
 * Age and state of the list. `listedAt` is the time of the runs service's last answer, in epoch ms. It's undefined if
 * the list is from the store.
 */
export type Freshness =
  | { kind: 'fresh' }
  | { kind: 'asking'; listedAt?: number | undefined }
  | { kind: 'failed'; sentence: string; listedAt?: number | undefined };

export type HomeContent = {
  filter: HomeFilter;
  viewer: RowViewer;
  listing: Listing;
  /** Page number, starting at 1. */
  page: number;
  /** The viewer's runs that need input, newest first. */
  waiting: readonly RunRow[];
  /** The viewer's other active runs, newest first. */
  active: readonly RunRow[];
  hasMoreActive?: boolean;
  counts: RequestCounts;
  freshness: Freshness;
  /** True if the runs service rejected the viewer's own key. */
  isKeyRejected: boolean;
  scopes: HomeScopes;
};

export function renderHome(content: HomeContent): HomeView {
  const { filter, viewer, listing, page, freshness } = content;
  const waiting = page === 1 ? content.waiting : [];
  const active = page === 1 ? content.active : [];
  const own = [...waiting, ...active];
  const rows = listing.rows.filter((row) => !own.some(({ ref }) => isSameRun(ref, row.ref)));
  const isEmpty = listing.rows.length === 0 && own.length === 0;
  const isFresh = freshness.kind === 'fresh';
  const isWithoutMatch = listing.rows.length === 0 && isFresh;
  return {
    type: 'home',
    blocks: [
      header('Agent runs'),
      ...renderFilterRow(filter),
      ...renderCounts(content.counts),
      ...renderFreshness(freshness, !isEmpty),
      ...renderHomeScopes(content.scopes),
      ...(content.isKeyRejected ? [renderRejectedKey()] : []),
      { type: 'divider' },
      ...(waiting.length > 0 ? [section('*Needs you*')] : []),
      ...waiting.flatMap((row, index) => renderWaitingRow(row, viewer, `waiting-${index}`)),
      ...(active.length > 0 ? [section(activeHeading(content))] : []),
      ...active.flatMap((row, index) => renderRow(row, viewer, `active-${index}`)),
      ...(rows.length > 0 ? [section('*Recent*')] : []),
      ...rows.flatMap((row, index) => renderRow(row, viewer, `${index}`)),
      ...(isWithoutMatch ? renderEmpty(filter, { page, hasOwn: own.length > 0 }) : []),
      ...renderPaging(listing, page),
    ],
  };
}

const activeHeading = ({ active, hasMoreActive }: HomeContent) =>
  hasMoreActive
    ? `*Active* (your ${active.length === 1 ? 'newest' : `${active.length} newest`})`
    : '*Active*';

const renderRejectedKey = () =>
  section(
    '⚠️ *The runs service rejected your API key.* To start runs, connect a new one.',
    button(homeActions.connections, 'Connections'),
  );

function renderPaging({ next }: Listing, page: number): ActionsBlock[] {
  const buttons = [
    ...(page > 1 ? [button(homeActions.newer, '← Newer')] : []),
    ...(next ? [button(homeActions.older, 'Older →')] : []),
  ];
  return buttons.length > 0 ? [actions(buttons)] : [];
}

const groups: Record<keyof RequestCounts, { sign: string; word: string }> = {
  live: { sign: '▶️', word: 'active' },
  succeeded: { sign: '✅', word: 'succeeded' },
  failed: { sign: '❌', word: 'failed' },
  cancelled: { sign: '🚫', word: 'canceled' },
  notStarted: { sign: '⚠️', word: 'not started' },
};

export function renderCounts(counts: RequestCounts): KnownBlock[] {
  const named = Object.keys(groups) as (keyof RequestCounts)[];
  const facts = named.filter((group) => counts[group] > 0);
  if (facts.length === 0) return [];
  const finished = counts.succeeded + counts.failed;
  const numbers = facts.map((group) => {
    const { sign, word } = groups[group];
    return `${sign} ${counts[group].toLocaleString('en-US')} ${word}`;
  });
  const rate =
    finished === 0
      ? []
      : [`${percentOf(counts.succeeded, finished)}% success rate (succeeded vs. failed)`];
  return [context(['Runs from Slack this week', ...rate, ...numbers].join('  ·  '))];
}

/** Returns a rounded percentage, which is 0 only for none and 100 only for all. */
function percentOf(part: number, all: number): number {
  if (part === 0 || part === all) return part === 0 ? 0 : 100;
  return Math.min(99, Math.max(1, Math.round((part / all) * 100)));
}

function renderFreshness(freshness: Freshness, hasRows: boolean): KnownBlock[] {
  switch (freshness.kind) {
    case 'fresh':
      return [];
    case 'asking':
      return [context(`⏳ Loading runs…${hasRows ? ` ${shown(freshness.listedAt)}` : ''}`)];
    case 'failed':
      return [
        section(
          `⚠️ ${freshness.sentence} ${hasRows ? shown(freshness.listedAt) : "Runs appear here once it's back."}`,
        ),
      ];
  }
}

const shown = (listedAt: number | undefined) =>
  listedAt === undefined
    ? 'Showing only runs started from Slack.'
    : `Showing runs as of ${time(listedAt)}.`;

/**
 * Renders Home for someone who can't see runs.
 * @param sentence the reason, in mrkdwn
 */
export function renderDenied(sentence: string): HomeView {
  const blocks: KnownBlock[] = [
    header('Agent runs'),
    section(`🔒 ${sentence}`),
    actions([button(homeActions.refresh, 'Check again')]),
  ];
  return { type: 'home', blocks };
}
