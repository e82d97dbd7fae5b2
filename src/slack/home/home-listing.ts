import { z } from 'zod';
import type { Run } from '../../runs-api/contract.ts';
import { RunsApiError } from '../../runs-api/runs-api-error.ts';
import type { RunsClient } from '../../runs-api/runs-client.ts';
import type { RequestList } from '../../store/request-list.ts';
import type { Requests } from '../../store/requests.ts';
import { failureSentence } from '../failure.ts';
import { fitsFilter, type HomeFilter, requestFilterOf, runsQueryOf } from './home-filter.ts';
import { type HomeRow, homeRowSchema, joinRows, requestRow } from './home-rows.ts';

export const rowsShown = 20;

/** One page. `next` leads to the older one. */
export const listingSchema = z.object({
  rows: z.array(homeRowSchema),
  next: z.string().optional(),
});
export type Listing = z.infer<typeof listingSchema>;

export type ListingParts = {
  list: Pick<RequestList, 'page' | 'withoutRun'>;
  requests: Pick<Requests, 'findByRunIds'>;
  runs: Pick<RunsClient['runs'], 'list'>;
};

export type ListingQuestion = {
  teamId: string;
  viewerId: string;
  filter: HomeFilter;
  cursor: string | undefined;
};

/** Whether the runs service must be asked: only requests of known people are all in the store. */
export const needsService = ({ creator }: HomeFilter) =>
  creator === 'everyone' || creator === 'elsewhere';

/** Something is on the screen already, so a slow service is waited for. */
const listCall = { timeoutMs: 10_000, maxRetries: 1 } as const;
/** A page of runs that are all ours has nothing for *started elsewhere*: look a little further. */
const pagesLookedAt = 5;

export async function readListing(parts: ListingParts, asked: ListingQuestion): Promise<Listing> {
  return needsService(asked.filter) ? readJoined(parts, asked) : readStored(parts, asked);
}

const storePlaceSchema = z.object({ acceptedAt: z.number(), id: z.string() });

/** What the store alone knows: everything that was started here. */
export async function readStored(
  { list }: Pick<ListingParts, 'list'>,
  { teamId, viewerId, filter, cursor }: ListingQuestion,
): Promise<Listing> {
  const after = readCursor(storePlaceSchema, cursor);
  const found = await list.page(requestFilterOf(filter, teamId, viewerId), {
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
  const rows: HomeRow[] = [];
  let until = place?.before ?? Number.MAX_SAFE_INTEGER;
  for (let looked = 0; looked < pagesLookedAt; looked += 1) {
    const query = { ...runsQueryOf(filter), limit: rowsShown, cursor };
    const { runs, page_info: info } = await parts.runs.list(query, listCall);
    cursor = info.has_next_page ? (info.next_cursor ?? undefined) : undefined;
    const from = cursor === undefined ? 0 : oldest(runs);
    const fitting = runs.filter((run) => fitsFilter(run, filter));
    rows.push(...(await joinPage(parts, asked, { runs: fitting, from, until })));
    until = from;
    if (cursor === undefined || rows.length > 0) break;
  }
  const next = cursor && JSON.stringify({ cursor, before: until });
  return { rows, ...(next && { next }) };
}

async function joinPage(
  { list, requests }: ListingParts,
  { teamId, viewerId, filter }: ListingQuestion,
  { runs, from, until }: { runs: readonly Run[]; from: number; until: number },
): Promise<HomeRow[]> {
  const found = await requests.findByRunIds(runs.map((run) => run.run_id));
  const ours = found.filter((request) => request.teamId === teamId);
  if (filter.creator === 'elsewhere') {
    const known = new Set(ours.map(({ runId }) => runId));
    return joinRows(
      runs.filter((run) => !known.has(run.run_id)),
      [],
    );
  }
  const stored = requestFilterOf(filter, teamId, viewerId);
  const unlisted = await list.withoutRun(stored, { from, until, limit: rowsShown });
  return joinRows(runs, [...ours, ...unlisted]);
}

const oldest = (runs: readonly Run[]) =>
  Math.min(...runs.map((run) => Date.parse(run.created_at)).filter(Number.isFinite), Date.now());

function readCursor<Schema extends z.ZodType>(
  schema: Schema,
  cursor: string | undefined,
): z.infer<Schema> | undefined {
  return cursor === undefined ? undefined : schema.safeParse(JSON.parse(cursor)).data;
}

/** What the person is told when the service gave no list. */
export function listingTrouble(error: unknown): string {
  if (error instanceof RunsApiError) return failureSentence(error.code);
  throw error;
}
