import { createHash } from 'node:crypto';
import type { HomeView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { HomeState, HomeViews } from '../../store/home-views.ts';
import type { RequestList } from '../../store/request-list.ts';
import type { Settings } from '../../store/settings.ts';
import { type HomeFilter, readHomeFilter } from './home-filter.ts';
import {
  type Listing,
  type ListingParts,
  listingSchema,
  listingTrouble,
  needsService,
  readListing,
  readStored,
} from './home-listing.ts';
import { requestRow } from './home-rows.ts';
import { type Freshness, renderHome } from './home-view.ts';

export type HomeScreenParts = ListingParts & {
  list: RequestList;
  views: HomeViews;
  settings: Pick<Settings, 'read'>;
};

/** How long after the last click a Home tab is kept fresh, and how often. Slack does not say when it is closed. */
const lookedAtMs = 5 * 60_000;
export const refreshEveryMs = 15_000;
const liveShown = 5;
const weekMs = 7 * 24 * 60 * 60_000;

export type HomeScreen = ReturnType<typeof createHomeScreen>;

/** Shows Home tabs. What the person asked for last wins: slower answers to earlier questions are not shown. */
export function createHomeScreen(parts: HomeScreenParts) {
  const { views } = parts;

  /** Shows the page at once from what is known, then again with what the service says. */
  async function show(client: WebClient, viewer: Viewer, cursors: readonly string[]) {
    const now = Date.now();
    const looked = { cursors, activeUntil: now + lookedAtMs, refreshAt: now + refreshEveryMs };
    const state = await views.look(viewer, looked);
    const filter = await readHomeFilter(parts.settings, viewer.teamId, viewer.userId);
    if (needsService(filter)) {
      const known = await readKnown(state, filter);
      const { listing, listedAt } = known;
      const freshness = { kind: 'asking', listedAt } as const;
      await showIfNew(client, state, {
        view: await renderState(state, filter, listing, freshness),
      });
    }
    await bringUpToDate(client, state, filter);
  }

  /** To the page beside the one that is shown; a second click before that is there does nothing. */
  async function turn(client: WebClient, viewer: Viewer, to: 'older' | 'newer'): Promise<void> {
    const state = await views.read(viewer);
    if (!state) return;
    if (to === 'newer') return show(client, viewer, state.cursors.slice(0, -1));
    const filter = await readHomeFilter(parts.settings, viewer.teamId, viewer.userId);
    const known = state.listing?.key === keyOf(state, filter) ? state.listing.value : undefined;
    const next = listingSchema.safeParse(known).data?.next;
    if (next) await show(client, viewer, [...state.cursors, next]);
  }

  /** Shows what has changed since; nothing is sent when nothing has. */
  async function refresh(client: WebClient, state: HomeState): Promise<void> {
    const filter = await readHomeFilter(parts.settings, state.teamId, state.userId);
    await bringUpToDate(client, state, filter);
  }

  async function bringUpToDate(client: WebClient, state: HomeState, filter: HomeFilter) {
    const key = keyOf(state, filter);
    const { listing, freshness } = await readNow(state, filter);
    const view = await renderState(state, filter, listing, freshness);
    const isFresh = freshness.kind === 'fresh';
    await showIfNew(client, state, {
      view,
      ...(isFresh && { listing: { key, value: listing, listedAt: Date.now() } }),
    });
  }

  async function readNow(
    state: HomeState,
    filter: HomeFilter,
  ): Promise<{ listing: Listing; freshness: Freshness }> {
    try {
      const listing = await readListing(parts, questionOf(state, filter));
      return { listing, freshness: { kind: 'fresh' } };
    } catch (error) {
      const sentence = listingTrouble(error);
      const { listing, listedAt } = await readKnown(state, filter);
      return { listing, freshness: { kind: 'failed', sentence, listedAt } };
    }
  }

  /** The same page as it was listed last, else what the store knows of it. */
  async function readKnown(
    state: HomeState,
    filter: HomeFilter,
  ): Promise<{ listing: Listing; listedAt?: number }> {
    const known = (await views.read(state))?.listing;
    if (known && known.key === keyOf(state, filter)) {
      const listing = listingSchema.safeParse(known.value);
      if (listing.success) return { listing: listing.data, listedAt: known.listedAt };
    }
    if (filter.creator === 'elsewhere' || state.cursors.length > 0)
      return { listing: { rows: [] } };
    const { rows } = await readStored(parts, questionOf(state, filter));
    return { listing: { rows } };
  }

  async function renderState(
    { teamId, userId, cursors }: HomeState,
    filter: HomeFilter,
    listing: Listing,
    freshness: Freshness,
  ): Promise<HomeView> {
    const mine = { teamId, creatorId: userId, state: 'live' } as const;
    const [live, counts] = await Promise.all([
      parts.list.page(mine, { limit: liveShown }),
      parts.list.counts(teamId, Date.now() - weekMs),
    ]);
    const page = cursors.length + 1;
    return renderHome({ filter, listing, page, live: live.map(requestRow), counts, freshness });
  }

  /** Unless the person has moved on. The listing is kept first, for who turns the page at once;
   * what is shown is noted last, so that a publish that failed is tried again. */
  async function showIfNew(client: WebClient, state: HomeState, next: NextView): Promise<void> {
    const { view, listing } = next;
    const before = await views.read(state);
    if (before?.revision !== state.revision) return;
    const shown = fingerprint(view);
    if (listing) await views.keep(state, { listing });
    if (before.shown === shown) return;
    await client.views.publish({ user_id: state.userId, view });
    await views.keep(state, { shown });
  }

  return { show, refresh, turn };
}

type NextView = { view: HomeView; listing?: { key: string; value: Listing; listedAt: number } };

type Viewer = { teamId: string; userId: string };

const questionOf = ({ teamId, userId, cursors }: HomeState, filter: HomeFilter) => ({
  teamId,
  viewerId: userId,
  filter,
  cursor: cursors.at(-1),
});

const keyOf = ({ cursors }: HomeState, filter: HomeFilter) =>
  fingerprint([filter, cursors.at(-1) ?? '']);

const fingerprint = (value: object) =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
