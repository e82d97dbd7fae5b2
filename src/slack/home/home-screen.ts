import type { HomeView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { fingerprint } from 'base/fingerprint';
import type { HomeState, HomeViews } from '../../store/people/home-views.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Rights } from '../people/rights.ts';
import { ownerOf } from '../people/setting.ts';
import { type HomeFilter, homeFilter } from './filter/home-filter.ts';
import { createHomeDrawing, type HomeDrawingParts, keyOf } from './home-drawing.ts';
import { renderRefused } from './home-view.ts';
import { needsService } from './listing/home-listing.ts';
import { type Listing, listingSchema } from './listing/listing.ts';

export type HomeScreenParts = HomeDrawingParts & {
  views: HomeViews;
  rights: Pick<Rights, 'refuseSee'>;
};

/** How long after the last click a Home tab is kept fresh, and how often. Slack doesn't say when it's closed. */
const lookedAtMs = 5 * 60_000;
export const refreshEveryMs = 15_000;

export type HomeScreen = ReturnType<typeof createHomeScreen>;

/** Shows Home tabs. The last click wins: slower answers to earlier clicks aren't shown. */
export function createHomeScreen(parts: HomeScreenParts) {
  const { views } = parts;
  const { readKnown, readNow, draw } = createHomeDrawing(parts);

  /** Shows the page at once from what is known, then again with the answer of the service. */
  async function show(
    client: WebClient,
    viewer: RunViewer,
    cursors: readonly string[],
    { isBlank = false } = {},
  ): Promise<void> {
    const refusal = await parts.rights.refuseSee(viewer);
    if (refusal) return refuse(client, viewer, refusal, isBlank);
    const now = Date.now();
    const [activeUntil, refreshAt] = [now + lookedAtMs, now + refreshEveryMs];
    const looked = { cursors, activeUntil, refreshAt, isBlank };
    const state = await views.look(viewer, looked);
    const filter = await homeFilter.read(parts.settings, ownerOf('person', viewer));
    const { listing, listedAt } = await readKnown(state, filter);
    const isWhole = !needsService(parts, filter);
    const freshness = isWhole
      ? ({ kind: 'fresh' } as const)
      : ({ kind: 'asking', listedAt } as const);
    const view = await draw(state, filter, { listing, freshness, isWaiting: true });
    const kept = { key: keyOf(state, filter), value: listing, listedAt: now };
    await showIfNew(client, state, { view, ...(isWhole && { listing: kept }) });
    await bringUpToDate(client, state, filter);
  }

  /** People without access have no pages to turn and nothing to refresh. */
  async function refuse(
    client: WebClient,
    viewer: RunViewer,
    sentence: string,
    isBlank = false,
  ): Promise<void> {
    const now = Date.now();
    const looked = { cursors: [], activeUntil: now, refreshAt: now, isBlank };
    const state = await views.look(viewer, looked);
    await showIfNew(client, state, { view: renderRefused(sentence) });
  }

  /** Turns the page. A second click before it's shown does nothing. */
  async function turn(client: WebClient, viewer: RunViewer, to: 'older' | 'newer'): Promise<void> {
    const state = await views.read(viewer);
    if (!state) return;
    if (to === 'newer') return show(client, viewer, state.cursors.slice(0, -1));
    const filter = await homeFilter.read(parts.settings, ownerOf('person', viewer));
    const known = state.listing?.key === keyOf(state, filter) ? state.listing.value : undefined;
    const next = listingSchema.safeParse(known).data?.next;
    if (next) await show(client, viewer, [...state.cursors, next]);
  }

  /** Shows what has changed since. Without a change, nothing is published. */
  async function refresh(client: WebClient, state: HomeState): Promise<void> {
    const refusal = await parts.rights.refuseSee(state);
    if (refusal) return refuse(client, state, refusal);
    const filter = await homeFilter.read(parts.settings, ownerOf('person', state));
    await bringUpToDate(client, state, filter);
  }

  async function bringUpToDate(client: WebClient, state: HomeState, filter: HomeFilter) {
    const key = keyOf(state, filter);
    const { listing, freshness } = await readNow(state, filter);
    const shown = { listing, freshness, isWaiting: false };
    const view = await draw(state, filter, shown);
    const isFresh = freshness.kind === 'fresh';
    await showIfNew(client, state, {
      view,
      ...(isFresh && { listing: { key, value: listing, listedAt: Date.now() } }),
    });
  }

  /** Unless the person has clicked since. The listing is stored first, because turning the page needs it;
   * `shown` is stored last, so that a failed publish is repeated. */
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
