import type { RunsClient } from 'runs-client';
import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import { z } from 'zod';
import type { RequestList } from '../../store/requests/request-list.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { joinRows, type RunRow, requestRow, runRowSchema } from '../runs/run-rows.ts';
import { failureSentence } from '../text/failure.ts';
import type { ApiCreators } from './api-creators.ts';
import {
  fitsFilter,
  type HomeFilter,
  isElsewhere,
  requestFilterOf,
  runsQueryOf,
} from './home-filter.ts';

const rowsShown = 20;
/** Requests without a run, per page of the service: a row is two of the 100 blocks that a view may have. */
const unlistedShown = 15;

/** One page. `next` leads to the older one. */
export const listingSchema = z.object({
  rows: z.array(runRowSchema),
  /** Some requests without a run didn't fit. */
  hasMoreUnlisted: z.boolean().optional(),
  next: z.string().optional(),
});
export type Listing = z.infer<typeof listingSchema>;

export type ListingParts = {
  list: Pick<RequestList, 'page' | 'withoutRun'>;
  requests: Pick<Requests, 'findOfRuns' | 'findVisible'>;
  runs: Pick<RunsClient['runs'], 'list'>;
  apiCreators: Pick<ApiCreators, 'note'>;
};

export type ListingQuestion = {
  viewer: RunViewer;
  filter: HomeFilter;
  cursor: string | undefined;
};

/** Whether the store isn't enough: it has all runs only of people in Slack. */
export const needsService = (filter: HomeFilter) =>
  filter.creator === 'everyone' || isElsewhere(filter);

/** Something is already shown, so a slow service may take its time. */
const listCall = { timeoutMs: 10_000, maxRetries: 1 } as const;
/** A page of the service may hold no runs that were started outside Slack. */
const pagesLookedAt = 5;

export async function readListing(parts: ListingParts, asked: ListingQuestion): Promise<Listing> {
  return needsService(asked.filter) ? readJoined(parts, asked) : readStored(parts, asked);
}

const storePlaceSchema = z.object({ acceptedAt: z.number(), id: z.string() });

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
  const rows: RunRow[] = [];
  let hasMoreUnlisted = false;
  let until = place?.before ?? Number.MAX_SAFE_INTEGER;
  for (let looked = 0; looked < pagesLookedAt; looked += 1) {
    const query = { ...runsQueryOf(filter), limit: rowsShown, cursor };
    const { runs, page_info: info } = await parts.runs.list(query, listCall);
    cursor = info.has_next_page ? (info.next_cursor ?? undefined) : undefined;
    const from = cursor === undefined ? 0 : oldest(runs);
    const fitting = runs.filter((run) => fitsFilter(run, filter));
    const page = await joinPage(parts, asked, { runs: fitting, from, until });
    rows.push(...page.rows);
    hasMoreUnlisted ||= page.hasMoreUnlisted;
    until = from;
    if (cursor === undefined || rows.length > 0) break;
  }
  const next = cursor && JSON.stringify({ cursor, before: until });
  return { rows, hasMoreUnlisted, ...(next && { next }) };
}

async function joinPage(
  { list, requests, apiCreators }: ListingParts,
  { viewer, filter }: ListingQuestion,
  { runs, from, until }: { runs: readonly Run[]; from: number; until: number },
): Promise<{ rows: RunRow[]; hasMoreUnlisted: boolean }> {
  const ours = await requests.findOfRuns(runs);
  const visible = await requests.findVisible(
    viewer,
    [...ours.values()].map(({ id }) => id),
  );
  const foreign = runs.filter((run) => !ours.has(run.run_id));
  await apiCreators.note(viewer.teamId, foreign);
  if (isElsewhere(filter)) return { rows: joinRows(foreign, []), hasMoreUnlisted: false };
  const stored = requestFilterOf(filter, viewer);
  const unlisted = await list.withoutRun(stored, { from, until, limit: unlistedShown + 1 });
  const shown = unlisted.slice(0, unlistedShown);
  const hidden = new Set([...ours].flatMap(([runId, { id }]) => (visible.has(id) ? [] : [runId])));
  const listed = runs.filter((run) => !hidden.has(run.run_id));
  const seen = [...ours.values()].filter(({ id }) => visible.has(id));
  const others = shown.filter(({ id }) => !visible.has(id));
  const rows = joinRows(listed, [...seen, ...others]);
  return { rows, hasMoreUnlisted: shown.length < unlisted.length };
}

const oldest = (runs: readonly Run[]) =>
  Math.min(...runs.map((run) => Date.parse(run.created_at)).filter(Number.isFinite), Date.now());

function readCursor<Schema extends z.ZodType>(
  schema: Schema,
  cursor: string | undefined,
): z.infer<Schema> | undefined {
  return cursor === undefined ? undefined : schema.safeParse(JSON.parse(cursor)).data;
}

/** @throws errors that don't come from the service */
export function listingTrouble(error: unknown): string {
  if (error instanceof RunsApiError) return failureSentence(error.code);
  throw error;
}
