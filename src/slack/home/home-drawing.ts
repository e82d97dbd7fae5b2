import type { HomeView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { fingerprint } from 'base/fingerprint';
import type { ConnectionKeys } from '../../store/connection-keys.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { HomeState, HomeViews } from '../../store/people/home-views.ts';
import type { RequestList } from '../../store/requests/request-list.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import type { GrantedScopes } from '../connection/installations/granted-scopes.ts';
import type { Installations } from '../connection/installations/installations.ts';
import type { People } from '../people/people.ts';
import type { Rights } from '../people/rights.ts';
import { readRowViewer } from '../runs/showing/run-row-view.ts';
import { requestRow, withReason } from '../runs/showing/run-rows.ts';
import type { HomeFilter } from './home-filter.ts';
import {
  type HomeListing,
  type Listing,
  listingFailureText,
  listingSchema,
  needsService,
} from './home-listing.ts';
import { findUnposted, readHomeScopes } from './home-scopes.ts';
import { type Freshness, renderHome } from './home-view.ts';

type HomeDrawingDeps = {
  listing: HomeListing;
  list: Pick<RequestList, 'page' | 'counts'>;
  requests: Pick<Requests, 'findVisible'>;
  views: Pick<HomeViews, 'read'>;
  keys: Pick<ConnectionKeys, 'ownKeys'>;
  outbox: Pick<Outbox, 'find'>;
  connections: Pick<RunConnections, 'usual'>;
  people: Pick<People, 'look' | 'recall'>;
  promptRights: Pick<Rights, 'isAdmin' | 'offersCancel'>;
  granted: Pick<GrantedScopes, 'has' | 'missing'>;
  client: Pick<WebClient, 'auth'>;
  installations: Pick<Installations, 'allowUrl'>;
};

export type HomeDrawing = ReturnType<typeof createHomeDrawing>;

/** Max rows in each section about the viewer's own runs. */
const ownShown = 5;
const weekMs = 7 * 24 * 60 * 60_000;

/** Creates functions that read a page of Home from the runs service or the store, and draw it. */
export function createHomeDrawing(deps: HomeDrawingDeps) {
  const { views, list, requests, keys, outbox, people, promptRights } = deps;

  async function readNow(
    state: HomeState,
    filter: HomeFilter,
  ): Promise<{ listing: Listing; freshness: Freshness }> {
    try {
      const listing = await deps.listing.read(questionOf(state, filter));
      return { listing, freshness: { kind: 'fresh' } };
    } catch (error) {
      const usual = await deps.connections.usual({ ...state, channelId: '' });
      const sentence = listingFailureText(error, usual);
      const { listing, listedAt } = await readKnown(state, filter);
      return { listing, freshness: { kind: 'failed', sentence, listedAt } };
    }
  }

  /**
   * Reads a page of Home without calling the runs service. Returns the page as last listed, or else the runs in the
   * store.
   */
  async function readKnown(
    state: HomeState,
    filter: HomeFilter,
  ): Promise<{ listing: Listing; listedAt?: number }> {
    if (!needsService(filter))
      return { listing: await deps.listing.readStored(questionOf(state, filter)) };
    const kept = (await views.read(state))?.listing;
    if (kept && kept.key === keyOf(state, filter)) {
      const listing = listingSchema.safeParse(kept.value);
      if (listing.success)
        return { listing: await withoutHidden(state, listing.data), listedAt: kept.listedAt };
    }
    if (filter.creator === 'elsewhere' || state.cursors.length > 0)
      return { listing: { rows: [] } };
    const { rows } = await deps.listing.readStored(questionOf(state, filter));
    return { listing: { rows } };
  }

  /** Removes runs that the person can no longer see, because the kept page can be old. */
  async function withoutHidden({ teamId, userId }: HomeState, listing: Listing): Promise<Listing> {
    const ids = listing.rows.flatMap(({ ref }) => ('requestId' in ref ? [ref.requestId] : []));
    const visible = await requests.findVisible({ teamId, userId }, ids);
    const rows = listing.rows.filter(
      ({ ref }) => !('requestId' in ref) || visible.has(ref.requestId),
    );
    return { ...listing, rows };
  }

  async function draw(
    { teamId, userId, cursors }: HomeState,
    filter: HomeFilter,
    { listing, freshness, isWaiting }: Shown,
  ): Promise<HomeView> {
    const viewer = { teamId, userId };
    const mine = { viewer, creatorId: userId, state: 'live' } as const;
    const [waiting, live, counts, ownKeys] = await Promise.all([
      list.page({ ...mine, stateNames: ['BLOCKED'] }, { limit: ownShown }),
      // Read more active runs than are shown, because some of them can be in `waiting` already.
      list.page(mine, { limit: 2 * ownShown + 1 }),
      list.counts(viewer, Date.now() - weekMs),
      keys.ownKeys(viewer),
    ]);
    const waitingIds = new Set(waiting.map(({ id }) => id));
    const active = live.filter(({ id }) => !waitingIds.has(id));
    const shown = {
      waiting: waiting.map((request) => withReason(requestRow(request), request)),
      active: active.slice(0, ownShown).map(requestRow),
    };
    const rows = [...shown.waiting, ...shown.active, ...listing.rows];
    const rowViewer = await readRowViewer({ people, promptRights }, viewer, rows, isWaiting);
    const isAdmin = await promptRights.isAdmin(viewer, rowViewer.people.get(userId));
    const { granted, client, installations } = deps;
    const reading = { granted, client, installations };
    const scopes = await readHomeScopes(reading, { teamId, isAdmin, isWaiting });
    const unposted = scopes.canPost ? undefined : await findUnposted(outbox, rows);
    return renderHome({
      filter,
      viewer: { ...rowViewer, unposted },
      listing,
      page: cursors.length + 1,
      ...shown,
      hasMoreActive: active.length > ownShown,
      counts,
      freshness,
      isKeyRejected: ownKeys.some(({ problem }) => problem?.code === 'unauthorized'),
      scopes,
    });
  }

  return { readKnown, readNow, draw };
}

/** Content to draw. With `isWaiting`, drawing uses only cached people, so that something is shown at once. */
type Shown = { listing: Listing; freshness: Freshness; isWaiting: boolean };

const questionOf = ({ teamId, userId, cursors }: HomeState, filter: HomeFilter) => ({
  viewer: { teamId, userId },
  filter,
  cursor: cursors.at(-1),
});

export const keyOf = ({ cursors }: HomeState, filter: HomeFilter) =>
  fingerprint([filter, cursors.at(-1) ?? '']);
