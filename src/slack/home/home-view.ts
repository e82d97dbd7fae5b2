import type { ActionsBlock, HomeView, KnownBlock } from '@slack/types';
import type { RequestCounts } from '../../store/requests/request-list.ts';
import { type RowViewer, renderRow } from '../runs/showing/run-row-view.ts';
import { isSameRun, type RunRow } from '../runs/showing/run-rows.ts';
import { actions, button, header, section } from '../text/blocks.ts';
import type { HomeFilter } from './filter/home-filter.ts';
import { homeActions, renderFilterRow } from './filter/home-filter-row.ts';
import { renderEmpty, renderMissing } from './home-first-use.ts';
import { type Freshness, renderCounts, renderFreshness } from './home-notes.ts';
import { type HomeScopes, renderHomeScopes } from './home-scopes.ts';
import type { Missing } from './home-setup.ts';
import type { Listing } from './listing/listing.ts';

export type HomeContent = {
  filter: HomeFilter;
  viewer: RowViewer;
  listing: Listing;
  /** From 1. */
  page: number;
  /** The viewer's active runs, the newest if there are more. */
  live: readonly RunRow[];
  hasMoreLive?: boolean;
  counts: RequestCounts;
  freshness: Freshness;
  missing: readonly Missing[];
  scopes: HomeScopes;
};

export function renderHome(content: HomeContent): HomeView {
  const { filter, viewer, listing, page, live, freshness } = content;
  const onTop = page === 1 ? live : [];
  const isOnTop = (row: RunRow) => onTop.some(({ ref }) => isSameRun(ref, row.ref));
  const rows = listing.rows.filter((row) => !isOnTop(row));
  const isEmpty = listing.rows.length === 0 && onTop.length === 0;
  const isFresh = freshness.kind === 'fresh';
  const isKnownEmpty = isEmpty && isFresh;
  const isWithoutMatch = listing.rows.length === 0 && isFresh;
  return {
    type: 'home',
    blocks: [
      header('Agent runs'),
      ...renderFilterRow(filter),
      ...renderCounts(content.counts),
      ...renderFreshness(freshness, !isEmpty),
      ...renderHomeScopes(content.scopes),
      ...renderMissing(content.missing.filter((each) => isShownNow(each, isKnownEmpty, freshness))),
      ...(onTop.length > 0 ? [section(liveHeading(content))] : []),
      ...onTop.flatMap((row, index) => renderRow(row, viewer, `live-${index}`)),
      { type: 'divider' },
      ...rows.flatMap((row, index) => renderRow(row, viewer, `${index}`)),
      ...(isWithoutMatch ? renderEmpty(filter, { page, hasLive: onTop.length > 0 }) : []),
      ...renderPaging(listing, page),
    ],
  };
}

const liveHeading = ({ live, hasMoreLive }: HomeContent) =>
  hasMoreLive
    ? `*Your ${live.length === 1 ? 'newest active run' : `${live.length} newest active runs`}*`
    : '*Your active runs*';

/** A rejected key concerns everyone, unless the list already says it. The rest is for people without runs. */
const isShownNow = (missing: Missing, isKnownEmpty: boolean, freshness: Freshness) =>
  missing === 'key'
    ? freshness.kind !== 'failed'
    : isKnownEmpty || missing === 'ownKey' || missing === 'workspaceKey';

function renderPaging({ next }: Listing, page: number): ActionsBlock[] {
  const buttons = [
    ...(page > 1 ? [button(homeActions.newer, '← Newer')] : []),
    ...(next ? [button(homeActions.older, 'Older →')] : []),
  ];
  return buttons.length > 0 ? [actions(buttons)] : [];
}

/** For people who may not see runs; `sentence` says why. */
export function renderRefused(sentence: string): HomeView {
  const blocks: KnownBlock[] = [
    header('Agent runs'),
    section(`🔒 ${sentence}`),
    actions([button(homeActions.refresh, 'Check again')]),
  ];
  return { type: 'home', blocks };
}
