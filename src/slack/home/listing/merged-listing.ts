/** Runs started from Slack and those that were started elsewhere, in one list: of everyone, or of one person. */

import { parseJson } from 'base/parse-json';
import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import { z } from 'zod';
import { isOwnKey } from '../../../requests/connection.ts';
import type { ListedRequest } from '../../../store/requests/request-row.ts';
import type { OwnRuns } from '../../runs/reading/own-runs.ts';
import { type RunRow, requestRow, runRow } from '../../runs/showing/run-rows.ts';
import {
  fitsFilter,
  type HomeFilter,
  requestFilterOf,
  runsQueryOf,
} from '../filter/home-filter.ts';
import { type Listing, type ListingParts, type ListingQuestion, rowsShown } from './listing.ts';
import { isOf, type ServiceIdentity } from './service-identity.ts';

/** `shown`: runs of this page of the service that were listed before. */
const servicePlaceSchema = z.object({ cursor: z.string().optional(), shown: z.array(z.string()) });
type ServicePlace = z.infer<typeof servicePlaceSchema>;

/** Without `service`, everything of the service was listed. Strict: a place in another listing is none here. */
const placeSchema = z.strictObject({
  stored: z.object({ acceptedAt: z.number(), id: z.string() }).optional(),
  service: servicePlaceSchema.optional(),
});
type Place = z.infer<typeof placeSchema>;

/** A page of the service may hold only runs that the viewer may not see. */
const pagesLookedAt = 5;
/** Something is already shown, so a slow service may take its time. */
const listCall = { timeoutMs: 10_000, maxRetries: 1 } as const;

type Person = { userId: string; identity: ServiceIdentity };
/** Only runs that were started elsewhere by this person, if one is given. */
type Service = { inView: OwnRuns; person: Person | undefined };
export type Sources = {
  /** Whether requests are listed. */
  hasRequests: boolean;
  service: Service | undefined;
};
type MergedParts = Pick<ListingParts, 'list' | 'requests' | 'apiCreators'>;

export async function readMerged(
  parts: MergedParts,
  asked: ListingQuestion,
  sources: Sources,
): Promise<Listing> {
  const known = placeSchema.safeParse(parseJson(asked.cursor ?? '')).data;
  let place: Place = known ?? { ...(sources.service && { service: { shown: [] } }) };
  for (let looked = 1; ; looked += 1) {
    const { rows, next } = await readPage(parts, asked, sources, place);
    const isEnough = rows.length > 0 || looked === pagesLookedAt;
    if (!next) return { rows };
    if (isEnough) return { rows, next: JSON.stringify(next) };
    place = next;
  }
}

type Entry = { row: RunRow; request?: ListedRequest; run?: Run };

/**
 * One page of each is enough for the newest rows: what the service lists is among the requests, or was started
 * elsewhere. Older ones wait for its next page.
 */
async function readPage(
  parts: MergedParts,
  asked: ListingQuestion,
  { hasRequests, service }: Sources,
  place: Place,
): Promise<{ rows: RunRow[]; next: Place | undefined }> {
  const wanted = { after: place.stored, limit: rowsShown + 1 };
  const [requests, page] = await Promise.all([
    hasRequests ? parts.list.page(requestFilterOf(asked.filter, asked.viewer), wanted) : [],
    service && place.service ? readService(parts, asked, service, place.service) : nothing,
  ]);
  // A time that can't be read says nothing about older ones.
  const timeOf = ({ row }: Entry) => row.at ?? page.from;
  const all = [
    ...requests.map((request) => requestEntry(request, page.known.get(request.id))),
    ...page.entries,
  ].sort((a, b) => timeOf(b) - timeOf(a));
  const taken = all.filter((entry) => timeOf(entry) >= page.from).slice(0, rowsShown);
  const left = all.slice(taken.length);
  const last = taken.findLast(({ request }) => request)?.request;
  const shown = [...(place.service?.shown ?? []), ...taken.flatMap(({ run }) => run?.run_id ?? [])];
  const isLeft = left.some(({ run }) => run);
  const nextService = isLeft
    ? { ...place.service, shown }
    : page.next === undefined
      ? undefined
      : { cursor: page.next, shown: [] };
  const stored = last ? { acceptedAt: last.acceptedAt, id: last.id } : place.stored;
  const hasMore = nextService !== undefined || left.length > 0;
  return {
    rows: taken.map(({ row }) => row),
    next: hasMore ? { stored, service: nextService } : undefined,
  };
}

/** Our request knows who asked; the service's state is newer unless we've already seen the end. */
function requestEntry(request: ListedRequest, run: Run | undefined): Entry {
  const isNewer = run !== undefined && request.step !== 'ended';
  return { row: requestRow(isNewer ? { ...request, run } : request), request };
}

type ServicePage = {
  /** What was started elsewhere. */
  entries: Entry[];
  /** Runs of requests, by request. */
  known: ReadonlyMap<string, Run>;
  /** The page has everything since then, in epoch milliseconds. */
  from: number;
  next: string | undefined;
};
const nothing: ServicePage = { entries: [], known: new Map(), from: 0, next: undefined };

async function readService(
  { requests, apiCreators }: MergedParts,
  { viewer, filter }: ListingQuestion,
  { inView, person }: Service,
  { cursor, shown }: ServicePlace,
): Promise<ServicePage> {
  const { connectionId, serviceId } = inView;
  const { runs, next } = await listPage(inView, filter, person, cursor);
  const ours = await requests.findOfRuns(serviceId, runs);
  const elsewhere = runs.filter(
    (run) =>
      (!person || isOf(run, person.identity)) && fitsFilter(run, filter) && !ours.has(run.run_id),
  );
  // What only someone's own key shows isn't for others.
  if (!person && !isOwnKey(connectionId)) await apiCreators.note(viewer.teamId, elsewhere);
  const creator = person && { creator: { slackUserId: person.userId } };
  return {
    entries: elsewhere
      .filter((run) => !shown.includes(run.run_id))
      .map((run) => ({ row: { ...runRow({ run, connectionId }), ...creator }, run })),
    known: new Map(
      runs.flatMap((run) => {
        const request = ours.get(run.run_id);
        return request ? [[request.id, run] as const] : [];
      }),
    ),
    from: next === undefined ? 0 : oldest(runs),
    next,
  };
}

const oldest = (runs: readonly Run[]) =>
  Math.min(...runs.map((run) => Date.parse(run.created_at)).filter(Number.isFinite), Date.now());

async function listPage(
  inView: OwnRuns,
  filter: HomeFilter,
  person: Person | undefined,
  cursor: string | undefined,
): Promise<{ runs: readonly Run[]; next: string | undefined }> {
  try {
    const creator = person && { creator: person.identity.uid };
    const wanted = { ...runsQueryOf(filter), ...creator, limit: rowsShown, cursor };
    const { runs: found, page_info: info } = await inView.list(wanted, listCall);
    return {
      runs: found,
      next: info.has_next_page ? (info.next_cursor ?? undefined) : undefined,
    };
  } catch (error) {
    // The service doesn't know this creator.
    const isUnknown = error instanceof RunsApiError && [400, 404, 422].includes(error.status ?? 0);
    if (person && isUnknown) return { runs: [], next: undefined };
    throw error;
  }
}
