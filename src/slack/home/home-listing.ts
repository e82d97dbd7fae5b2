import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import { z } from 'zod';
import { isOwnKey } from '../../requests/connection.ts';
import type { OwnRuns } from '../runs/own-runs.ts';
import { joinRows, type RunRow, requestRow } from '../runs/run-rows.ts';
import { failureSentence } from '../text/failure.ts';
import {
  fitsFilter,
  type HomeFilter,
  isElsewhere,
  requestFilterOf,
  runsQueryOf,
} from './home-filter.ts';
import {
  type Listing,
  type ListingParts,
  type ListingQuestion,
  listCall,
  readCursor,
  rowsShown,
  runsInView,
  storePlaceSchema,
} from './listing.ts';
import { readMerged } from './merged-listing.ts';
import { readServiceIdentity } from './service-identity.ts';

/** Requests without a run, per page of the service: a row is two of the 100 blocks that a view may have. */
const unlistedShown = 15;

/**
 * Whether the store isn't enough: it has only runs that were started from Slack. With `readIdentity`, people also have
 * runs at the service. The service can't filter by pull requests, so those that need review are listed from the store as
 * far as it knows them.
 */
export function needsService(
  { readIdentity }: Pick<ListingParts, 'readIdentity'>,
  filter: HomeFilter,
): boolean {
  if (isElsewhere(filter)) return true;
  return filter.state !== 'review' && (filter.creator === 'everyone' || Boolean(readIdentity));
}

/** A page of the service may hold no runs that were started outside Slack. */
const pagesLookedAt = 5;

export async function readListing(parts: ListingParts, asked: ListingQuestion): Promise<Listing> {
  const { filter, viewer } = asked;
  if (!needsService(parts, filter)) return readStored(parts, asked);
  const isOfPerson = filter.creator === 'me' || filter.creator === 'person';
  if (!isOfPerson) {
    // Requests can be on several services, of which one is listed.
    const isMerged = !isElsewhere(filter) && (await parts.connections.names()).length > 1;
    return isMerged ? readMerged(parts, asked, undefined) : readJoined(parts, asked);
  }
  const userId = filter.creator === 'me' ? viewer.userId : filter.userId;
  const identity = await readServiceIdentity(parts, viewer.teamId, userId);
  return identity ? readMerged(parts, asked, { userId, identity }) : readStored(parts, asked);
}

/** From the store: everything started from Slack. */
export async function readStored(
  { list }: Pick<ListingParts, 'list'>,
  { viewer, filter, cursor }: ListingQuestion,
): Promise<Listing> {
  const after = readCursor(storePlaceSchema, cursor);
  const found = await list.page(requestFilterOf(filter, viewer), {
    after,
    limit: rowsShown + 1,
  });
  const shown = found.slice(0, rowsShown);
  const last = shown.at(-1);
  const hasMore = found.length > rowsShown && last !== undefined;
  const next = hasMore ? JSON.stringify({ acceptedAt: last.acceptedAt, id: last.id }) : undefined;
  return { rows: shown.map(requestRow), ...(next && { next }) };
}

/** `before`: the creation time of the oldest run on the page before, in epoch milliseconds. */
const servicePlaceSchema = z.object({ cursor: z.string(), before: z.number() });

async function readJoined(parts: ListingParts, asked: ListingQuestion): Promise<Listing> {
  const { filter } = asked;
  const place = readCursor(servicePlaceSchema, asked.cursor);
  let cursor = place?.cursor;
  const inView = await runsInView(parts, asked.viewer);
  const rows: RunRow[] = [];
  let hasMoreUnlisted = false;
  let until = place?.before ?? Number.MAX_SAFE_INTEGER;
  for (let looked = 0; looked < pagesLookedAt; looked += 1) {
    const query = { ...runsQueryOf(filter), limit: rowsShown, cursor };
    const { runs, page_info: info } = await inView.list(query, listCall);
    cursor = info.has_next_page ? (info.next_cursor ?? undefined) : undefined;
    const from = cursor === undefined ? 0 : oldest(runs);
    const fitting = runs.filter((run) => fitsFilter(run, filter));
    const page = await joinPage(parts, asked, { inView, runs: fitting, from, until });
    rows.push(...page.rows);
    hasMoreUnlisted ||= page.hasMoreUnlisted;
    until = from;
    if (cursor === undefined || rows.length > 0) break;
  }
  const next = cursor && JSON.stringify({ cursor, before: until });
  return { rows, hasMoreUnlisted, ...(next && { next }) };
}

type JoinedPage = { inView: OwnRuns; runs: readonly Run[]; from: number; until: number };

async function joinPage(
  { list, requests, apiCreators }: ListingParts,
  { viewer, filter }: ListingQuestion,
  { inView, runs, from, until }: JoinedPage,
): Promise<{ rows: RunRow[]; hasMoreUnlisted: boolean }> {
  const ours = await requests.findOfRuns(inView.serviceId, runs);
  const visible = await requests.findVisible(
    viewer,
    [...ours.values()].map(({ id }) => id),
  );
  const foreign = runs.filter((run) => !ours.has(run.run_id));
  // What only someone's own key shows isn't for others.
  if (!isOwnKey(inView.connectionId)) await apiCreators.note(viewer.teamId, foreign);
  if (isElsewhere(filter))
    return { rows: joinRows(inView.connectionId, foreign, []), hasMoreUnlisted: false };
  const stored = requestFilterOf(filter, viewer);
  const unlisted = await list.withoutRun(stored, { from, until, limit: unlistedShown + 1 });
  const shown = unlisted.slice(0, unlistedShown);
  const hidden = new Set([...ours].flatMap(([runId, { id }]) => (visible.has(id) ? [] : [runId])));
  const listed = runs.filter((run) => !hidden.has(run.run_id));
  const seen = [...ours.values()].filter(({ id }) => visible.has(id));
  const others = shown.filter(({ id }) => !visible.has(id));
  const rows = joinRows(inView.connectionId, listed, [...seen, ...others]);
  return { rows, hasMoreUnlisted: shown.length < unlisted.length };
}

const oldest = (runs: readonly Run[]) =>
  Math.min(...runs.map((run) => Date.parse(run.created_at)).filter(Number.isFinite), Date.now());

/** @throws errors that don't come from the service */
export function listingTrouble(error: unknown, connectionId: string): string {
  if (error instanceof RunsApiError) return failureSentence(error.code, connectionId);
  throw error;
}
