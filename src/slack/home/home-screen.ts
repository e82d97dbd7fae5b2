import type { HomeView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { fingerprint } from 'base/fingerprint';
import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import type { HomeState, HomeViews } from '../../store/people/home-views.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Rights } from '../people/rights.ts';
import { ownerOf } from '../people/setting.ts';
import { type HomeDrawing, keyOf } from './home-drawing.ts';
import { type HomeFilter, homeFilter } from './home-filter.ts';
import { type Listing, listingSchema, needsService } from './home-listing.ts';
import { renderDenied } from './home-view.ts';

type HomeScreenDeps = {
  drawing: HomeDrawing;
  views: HomeViews;
  settings: Pick<Settings, 'read'>;
  rights: Pick<Rights, 'denySee'>;
};

/**
 * Time for which a Home tab is refreshed after the last click, in ms. Slack doesn't say when someone closes the tab.
 */
const refreshForMs = 5 * 60_000;
const refreshEveryMs = 15_000;

export type HomeScreen = ReturnType<typeof createHomeScreen>;

/** Creates the functions that show Home tabs. The last click wins, so slower answers to earlier clicks are dropped. */
export function createHomeScreen({ drawing, views, settings, rights }: HomeScreenDeps) {
  const { readKnown, readNow, draw } = drawing;

  /** Shows the stored page at once, then again with the runs service's answer. */
  async function show(
    client: WebClient,
    viewer: RunViewer,
    cursors: readonly string[],
    { isBlank = false } = {},
  ): Promise<void> {
    const denial = await rights.denySee(viewer);
    if (denial) return deny(client, viewer, denial, isBlank);
    const now = Date.now();
    const [activeUntil, refreshAt] = [now + refreshForMs, now + refreshEveryMs];
    const viewed = { cursors, activeUntil, refreshAt, isBlank };
    const state = await views.look(viewer, viewed);
    const filter = await homeFilter.read(settings, ownerOf('person', viewer));
    const { listing, listedAt } = await readKnown(state, filter);
    const isWhole = !needsService(filter);
    const freshness = isWhole
      ? ({ kind: 'fresh' } as const)
      : ({ kind: 'asking', listedAt } as const);
    const view = await draw(state, filter, { listing, freshness, isWaiting: true });
    const kept = { key: keyOf(state, filter), value: listing, listedAt: now };
    await showIfNew(client, state, { view, ...(isWhole && { listing: kept }) });
    await bringUpToDate(client, state, filter);
  }

  /** Shows why the person has no access. Their tab isn't refreshed. */
  async function deny(
    client: WebClient,
    viewer: RunViewer,
    sentence: string,
    isBlank = false,
  ): Promise<void> {
    const now = Date.now();
    const viewed = { cursors: [], activeUntil: now, refreshAt: now, isBlank };
    const state = await views.look(viewer, viewed);
    await showIfNew(client, state, { view: renderDenied(sentence) });
  }

  /** Draws the current page with new data. */
  async function showAgain(client: WebClient, viewer: RunViewer): Promise<void> {
    await show(client, viewer, (await views.read(viewer))?.cursors ?? []);
  }

  /** Shows the next older or newer page. A second click before the page is shown does nothing. */
  async function turn(client: WebClient, viewer: RunViewer, to: 'older' | 'newer'): Promise<void> {
    const state = await views.read(viewer);
    if (!state) return;
    if (to === 'newer') return show(client, viewer, state.cursors.slice(0, -1));
    const filter = await homeFilter.read(settings, ownerOf('person', viewer));
    const shown = state.listing?.key === keyOf(state, filter) ? state.listing.value : undefined;
    const next = listingSchema.safeParse(shown).data?.next;
    if (next) await show(client, viewer, [...state.cursors, next]);
  }

  /** Publishes the page again if it has changed. */
  async function refresh(client: WebClient, state: HomeState): Promise<void> {
    const denial = await rights.denySee(state);
    if (denial) return deny(client, state, denial);
    const filter = await homeFilter.read(settings, ownerOf('person', state));
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

  /**
   * Publishes the view unless the person has clicked since. Stores the listing first, because turning the page needs
   * it. Stores `shown` last, so that a failed publish is repeated.
   */
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

  return { show, showAgain, refresh, turn };
}

type NextView = { view: HomeView; listing?: { key: string; value: Listing; listedAt: number } };

const everyMs = 2_000;
/** Max Home tabs to refresh in each `everyMs`. That is 90 publishes a minute in a workspace, and Slack allows 100. */
const maxAtOnce = 3;

/** Creates a loop that refreshes Home tabs that were opened or clicked in the last minutes. */
export function createHomeRefresher({
  views,
  screenOf,
  clientOf,
  logger,
}: {
  views: Pick<HomeViews, 'takeDue'>;
  screenOf(teamId: string): Pick<HomeScreen, 'refresh'>;
  clientOf(teamId: string): WebClient;
  logger: Logger;
}) {
  async function refreshDue(): Promise<number> {
    const now = Date.now();
    try {
      const next = now + refreshEveryMs;
      const due = await views.takeDue({ now, next, everyMs, limit: maxAtOnce });
      for (const state of due) await screenOf(state.teamId).refresh(clientOf(state.teamId), state);
    } catch (error) {
      // Only log, because the Home tab is due again after `refreshEveryMs`.
      logger.warn({ err: error }, 'could not refresh a Home tab');
    }
    return everyMs;
  }

  return new Loop(refreshDue);
}
