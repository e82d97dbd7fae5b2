/** Lists one page of Home. Runs from Slack come from the store, all others from the runs service. */
import { parseJson } from 'base/parse-json';
import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import { z } from 'zod';
import type { RequestList } from '../../store/requests/request-list.ts';
import type { ListedRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import type { OwnRuns, ReadOwnRuns } from '../runs/reading/own-runs.ts';
import {
  type ForeignRun,
  type RunRow,
  requestRow,
  runRow,
  runRowSchema,
  withReason,
} from '../runs/showing/run-rows.ts';
import { failureSentence } from '../text/failure.ts';
import { fitsFilter, type HomeFilter, requestFilterOf, runsQueryOf } from './home-filter.ts';

/** Max rows on a page. Each needs two of the 100 blocks that Slack allows in a view. */
export const rowsShown = 20;
/** Max pages of the runs service to read for one page of Home. A page may hold only runs that the viewer can't see. */
const maxPagesRead = 5;
/** Long timeout, because Home already shows stored runs while the runs service responds. */
const listCall = { timeoutMs: 10_000, maxRetries: 1 } as const;

/** Rows of one page. `next` is the cursor of the next page, which has older runs. */
export const listingSchema = z.object({
  rows: z.array(runRowSchema),
  next: z.string().optional(),
});
export type Listing = z.infer<typeof listingSchema>;

/** Position in the runs service's list. `shown` has the IDs of runs on its current page that Home has already shown. */
const servicePositionSchema = z.object({
  cursor: z.string().optional(),
  shown: z.array(z.string()),
});
type ServicePosition = z.infer<typeof servicePositionSchema>;

/**
 * Position in Home's list. Without `service`, the runs service has no more runs. The schema is strict, so that a cursor
 * of another listing is ignored.
 */
const positionSchema = z.strictObject({
  stored: z.object({ acceptedAt: z.number(), id: z.string() }).optional(),
  service: servicePositionSchema.optional(),
});
type ListPosition = z.infer<typeof positionSchema>;

export type ListingQuestion = {
  viewer: RunViewer;
  filter: HomeFilter;
  cursor: string | undefined;
};

/**
 * Returns true if the list includes runs from outside Slack, which only the runs service knows. The service can't
 * filter by pull requests, so runs that need review come from the store.
 */
export const needsService = ({ creator, state }: HomeFilter): boolean =>
  creator === 'elsewhere' || (creator === 'everyone' && state !== 'review');

/** Returns a sentence about a failed call to the runs service. Rethrows all other errors. */
export function listingFailureText(error: unknown, connectionId: string): string {
  if (error instanceof RunsApiError) return failureSentence(error.code, connectionId);
  throw error;
}

export type HomeListing = ReturnType<typeof createHomeListing>;

export function createHomeListing({
  list,
  requests,
  readOwnRuns,
  connections,
}: {
  list: Pick<RequestList, 'page'>;
  requests: Pick<Requests, 'findOfRuns'>;
  readOwnRuns: ReadOwnRuns;
  connections: Pick<RunConnections, 'usual'>;
}) {
  return {
    /** Reads runs from the store. Also reads the runs service if the filter includes runs that only it knows. */
    async read(question: ListingQuestion): Promise<Listing> {
      if (!needsService(question.filter)) return readPages(question, undefined);
      const asker = { ...question.viewer, channelId: '' };
      return readPages(question, readOwnRuns(await connections.usual(asker)));
    },
    /** Reads only runs that were started from Slack. */
    readStored: (question: ListingQuestion) => readPages(question, undefined),
  };

  async function readPages(
    question: ListingQuestion,
    service: OwnRuns | undefined,
  ): Promise<Listing> {
    const stored = positionSchema.safeParse(parseJson(question.cursor ?? '')).data;
    let place: ListPosition = stored ?? { ...(service && { service: { shown: [] } }) };
    for (let read = 1; ; read += 1) {
      const { rows, next } = await readPage(question, service, place);
      if (!next) return { rows };
      if (rows.length > 0 || read === maxPagesRead) return { rows, next: JSON.stringify(next) };
      place = next;
    }
  }

  /**
   * Merges one page of the store with one of the runs service. Rows older than the service's page wait, because runs on
   * its next page could be newer.
   */
  async function readPage(
    { filter, viewer }: ListingQuestion,
    service: OwnRuns | undefined,
    place: ListPosition,
  ): Promise<{ rows: RunRow[]; next: ListPosition | undefined }> {
    const wanted = { after: place.stored, limit: rowsShown + 1 };
    const [stored, page] = await Promise.all([
      filter.creator === 'elsewhere' ? [] : list.page(requestFilterOf(filter, viewer), wanted),
      service && place.service ? readService(filter, service, place.service) : emptyPage,
    ]);
    // Put runs with an unreadable time last on this page.
    const timeOf = ({ row }: Entry) => row.at ?? page.from;
    const all = [
      ...stored.map((request) => requestEntry(request, page.ownRuns.get(request.id))),
      ...page.entries,
    ].sort((a, b) => timeOf(b) - timeOf(a));
    const taken = all.filter((entry) => timeOf(entry) >= page.from).slice(0, rowsShown);
    const left = all.slice(taken.length);
    const last = taken.findLast(({ request }) => request)?.request;
    const next = nextServicePosition(place.service, page.next, taken, left);
    const hasMore = next !== undefined || left.length > 0;
    return {
      rows: taken.map(({ row }) => row),
      next: hasMore
        ? {
            stored: last ? { acceptedAt: last.acceptedAt, id: last.id } : place.stored,
            service: next,
          }
        : undefined,
    };
  }

  async function readService(
    filter: HomeFilter,
    service: OwnRuns,
    { cursor, shown }: ServicePosition,
  ): Promise<ServicePage> {
    const query = { ...runsQueryOf(filter), limit: rowsShown, cursor };
    const { runs, page_info: info } = await service.list(query, listCall);
    const next = info.has_next_page ? (info.next_cursor ?? undefined) : undefined;
    const { connectionId, serviceId } = service;
    const requestOf = await requests.findOfRuns(serviceId, runs);
    return {
      entries: runs
        .filter((run) => !requestOf.has(run.run_id) && fitsFilter(run, filter))
        .filter((run) => !shown.includes(run.run_id))
        .map((run) => ({ row: foreignRow({ run, connectionId }), run })),
      ownRuns: new Map(
        runs.flatMap((run) => {
          const request = requestOf.get(run.run_id);
          return request ? [[request.id, run] as const] : [];
        }),
      ),
      from: next === undefined ? 0 : oldest(runs),
      next,
    };
  }
}

type Entry = { row: RunRow; request?: ListedRequest; run?: Run };

type ServicePage = {
  /** Runs that were started outside Slack. */
  entries: Entry[];
  /** Runs that were started from Slack, by request ID. */
  ownRuns: ReadonlyMap<string, Run>;
  /** Time of the oldest run on the page, in epoch ms. The page lists all runs since then. */
  from: number;
  next: string | undefined;
};
const emptyPage: ServicePage = { entries: [], ownRuns: new Map(), from: 0, next: undefined };

const foreignRow = (foreign: ForeignRun) =>
  withReason(runRow(foreign), { ...foreign, problem: null });

/**
 * Returns the entry of a run from Slack. The request has the creator, and the runs service has the newer state. If the
 * store says that the run has ended, the stored state is used.
 */
function requestEntry(request: ListedRequest, run: Run | undefined): Entry {
  const isNewer = run !== undefined && request.step !== 'ended';
  const shown = isNewer ? { ...request, run } : request;
  return { row: withReason(requestRow(shown), shown), request };
}

function nextServicePosition(
  place: ServicePosition | undefined,
  nextCursor: string | undefined,
  taken: readonly Entry[],
  left: readonly Entry[],
): ServicePosition | undefined {
  const idsOf = (entries: readonly Entry[]) => entries.flatMap(({ run }) => run?.run_id ?? []);
  if (idsOf(left).length > 0)
    return { ...place, shown: [...(place?.shown ?? []), ...idsOf(taken)] };
  return nextCursor === undefined ? undefined : { cursor: nextCursor, shown: [] };
}

const oldest = (runs: readonly Run[]) =>
  Math.min(...runs.map((run) => Date.parse(run.created_at)).filter(Number.isFinite), Date.now());
