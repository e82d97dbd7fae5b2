import type { ActionsBlock, HomeView, KnownBlock } from '@slack/types';
import type { StateGroup } from '../../store/request-list.ts';
import { type RowViewer, renderRow } from '../runs/run-row-view.ts';
import { isSameRun, type RunRow } from '../runs/run-rows.ts';
import { actions, button, context, header, section } from '../text/blocks.ts';
import type { HomeFilter } from './home-filter.ts';
import { homeActions, renderFilterRow } from './home-filter-row.ts';
import { renderEmpty, renderMissing } from './home-first-use.ts';
import type { Listing } from './home-listing.ts';
import { type Freshness, renderCounts, renderFreshness } from './home-notes.ts';
import type { Missing } from './home-setup.ts';

export type HomeContent = {
  filter: HomeFilter;
  viewer: RowViewer;
  listing: Listing;
  /** From 1. */
  page: number;
  /** Runs of the viewer that go on. */
  live: readonly RunRow[];
  counts: Record<StateGroup, number>;
  freshness: Freshness;
  missing: readonly Missing[];
};

/** Two blocks each, and a view has at most 100 together with everything else. */
const mostRows = 40;

export function renderHome(content: HomeContent): HomeView {
  const { filter, viewer, listing, page, live, freshness } = content;
  const onTop = page === 1 ? live : [];
  const isOnTop = (row: RunRow) => onTop.some(({ ref }) => isSameRun(ref, row.ref));
  const rows = listing.rows.filter((row) => !isOnTop(row));
  const isEmpty = listing.rows.length === 0 && onTop.length === 0;
  const isKnownEmpty = isEmpty && freshness.kind === 'fresh';
  return {
    type: 'home',
    blocks: [
      header('Agent runs'),
      ...renderFilterRow(filter),
      ...renderCounts(content.counts),
      ...renderFreshness(freshness, !isEmpty),
      ...renderMissing(content.missing.filter((each) => isToldNow(each, isKnownEmpty, freshness))),
      ...(onTop.length > 0 ? [section('*Yours, going on*')] : []),
      ...onTop.flatMap((row, index) => renderRow(row, viewer, `live-${index}`)),
      { type: 'divider' },
      ...rows
        .slice(0, mostRows - onTop.length)
        .flatMap((row, index) => renderRow(row, viewer, `${index}`)),
      ...(isKnownEmpty ? renderEmpty(filter, page) : []),
      ...(listing.hasMoreUnlisted ? [context(moreUnlisted)] : []),
      ...renderPaging(listing, page),
    ],
  };
}

const moreUnlisted =
  'More requests of this time were not started than fit here. Pick one person above to see all of theirs.';

/** A refused key concerns everybody, unless the list says it already; the rest only who has not begun. */
const isToldNow = (missing: Missing, isKnownEmpty: boolean, freshness: Freshness) =>
  missing === 'key' ? freshness.kind !== 'failed' : isKnownEmpty;

function renderPaging({ next }: Listing, page: number): ActionsBlock[] {
  const buttons = [
    ...(page > 1 ? [button(homeActions.newer, '← Newer')] : []),
    ...(next ? [button(homeActions.older, 'Older →')] : []),
  ];
  return buttons.length > 0 ? [actions(buttons)] : [];
}

/** For who may see no runs; `sentence` says why, and whom to ask. */
export function renderRefused(sentence: string): HomeView {
  const blocks: KnownBlock[] = [
    header('Agent runs'),
    section(`🔒 *Not for you, sorry.* ${sentence}`),
    actions([button(homeActions.refresh, 'Check again')]),
  ];
  return { type: 'home', blocks };
}
