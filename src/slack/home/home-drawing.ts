import type { HomeView } from '@slack/types';
import { fingerprint } from 'base/fingerprint';
import type { ConnectionKeys } from '../../store/connection-keys.ts';
import type { HomeState, HomeViews } from '../../store/people/home-views.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { RequestList } from '../../store/requests/request-list.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Rights } from '../people/rights.ts';
import { type RowViewerParts, readRowViewer } from '../runs/showing/run-row-view.ts';
import { requestRow } from '../runs/showing/run-rows.ts';
import { type HomeFilter, isElsewhere } from './filter/home-filter.ts';
import type { Freshness } from './home-notes.ts';
import { findUnposted, type HomeScopesParts, readHomeScopes } from './home-scopes.ts';
import type { Missing, SetupCheck } from './home-setup.ts';
import { renderHome } from './home-view.ts';
import { listingTrouble, needsService, readListing, readStored } from './listing/home-listing.ts';
import { type Listing, type ListingParts, listingSchema } from './listing/listing.ts';

export type HomeDrawingParts = ListingParts &
  RowViewerParts &
  HomeScopesParts & {
    list: RequestList;
    views: Pick<HomeViews, 'read'>;
    settings: Pick<Settings, 'read'>;
    setup: Pick<SetupCheck, 'known' | 'read'>;
    keys: Pick<ConnectionKeys, 'ownKeys'>;
    promptRights: Pick<Rights, 'isAdmin'>;
  };

const liveShown = 5;
const weekMs = 7 * 24 * 60 * 60_000;

export function createHomeDrawing(parts: HomeDrawingParts) {
  const { views } = parts;

  async function readNow(
    state: HomeState,
    filter: HomeFilter,
  ): Promise<{ listing: Listing; freshness: Freshness }> {
    try {
      const listing = await readListing(parts, questionOf(state, filter));
      return { listing, freshness: { kind: 'fresh' } };
    } catch (error) {
      const usual = await parts.connections.usual({ ...state, channelId: '' });
      const sentence = listingTrouble(error, usual);
      const { listing, listedAt } = await readKnown(state, filter);
      return { listing, freshness: { kind: 'failed', sentence, listedAt } };
    }
  }

  /** Without the service: the page as last listed, or else what the store knows of it. */
  async function readKnown(
    state: HomeState,
    filter: HomeFilter,
  ): Promise<{ listing: Listing; listedAt?: number }> {
    if (!needsService(parts, filter))
      return { listing: await readStored(parts, questionOf(state, filter)) };
    const known = (await views.read(state))?.listing;
    if (known && known.key === keyOf(state, filter)) {
      const listing = listingSchema.safeParse(known.value);
      if (listing.success)
        return { listing: await withoutHidden(state, listing.data), listedAt: known.listedAt };
    }
    if (isElsewhere(filter) || state.cursors.length > 0) return { listing: { rows: [] } };
    const { rows } = await readStored(parts, questionOf(state, filter));
    return { listing: { rows } };
  }

  /** What was listed before, without what the person may no longer see. */
  async function withoutHidden({ teamId, userId }: HomeState, listing: Listing): Promise<Listing> {
    const ids = listing.rows.flatMap(({ ref }) => ('requestId' in ref ? [ref.requestId] : []));
    const visible = await parts.requests.findVisible({ teamId, userId }, ids);
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
    const [requests, counts] = await Promise.all([
      parts.list.page(mine, { limit: liveShown + 1 }),
      parts.list.counts(viewer, Date.now() - weekMs),
    ]);
    const live = requests.slice(0, liveShown).map(requestRow);
    const rowViewer = await readRowViewer(parts, viewer, [...live, ...listing.rows], isWaiting);
    const missing = [
      ...(isWaiting ? parts.setup.known() : await parts.setup.read()),
      ...(await findRefusedKey(viewer)),
    ];
    const isAdmin = await parts.promptRights.isAdmin(viewer, rowViewer.people.get(userId));
    const scopes = await readHomeScopes(parts, { teamId, isAdmin, isWaiting });
    const unposted = scopes.canPost
      ? undefined
      : await findUnposted(parts, [...live, ...listing.rows]);
    const page = cursors.length + 1;
    return renderHome({
      filter,
      viewer: { ...rowViewer, unposted },
      listing,
      page,
      live,
      hasMoreLive: requests.length > liveShown,
      counts,
      freshness,
      missing,
      scopes,
    });
  }

  async function findRefusedKey(viewer: RunViewer): Promise<Missing[]> {
    const own = await parts.keys.ownKeys(viewer);
    return own.some(({ problem }) => problem?.code === 'unauthorized') ? ['ownKey'] : [];
  }

  return { readKnown, readNow, draw };
}

/** `isWaiting`: nothing is called, so that something shows at once. */
type Shown = { listing: Listing; freshness: Freshness; isWaiting: boolean };

const questionOf = ({ teamId, userId, cursors }: HomeState, filter: HomeFilter) => ({
  viewer: { teamId, userId },
  filter,
  cursor: cursors.at(-1),
});

export const keyOf = ({ cursors }: HomeState, filter: HomeFilter) =>
  fingerprint([filter, cursors.at(-1) ?? '']);
