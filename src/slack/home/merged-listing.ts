/** Runs started from Slack, and those that were started elsewhere: of everyone, or of one person. */
import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import { z } from 'zod';
import type { OwnRuns } from '../runs/own-runs.ts';
import { type RunRow, requestRow, runRow } from '../runs/run-rows.ts';
import { fitsFilter, requestFilterOf, runsQueryOf } from './home-filter.ts';
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
import { isOf, type ServiceIdentity } from './service-identity.ts';

/** `shown`: runs of this page of the service that were listed before. */
const servicePlaceSchema = z.object({ cursor: z.string().optional(), shown: z.array(z.string()) });
type ServicePlace = z.infer<typeof servicePlaceSchema>;

/** Without `service`, everything of the service was listed. Strict: a place in another listing is none here. */
const placeSchema = z.strictObject({
  stored: storePlaceSchema.optional(),
  service: servicePlaceSchema.optional(),
});
type Place = z.infer<typeof placeSchema>;
const beginning: Place = { service: { shown: [] } };

/** A page of the service may hold only runs that the viewer may not see. */
const pagesLookedAt = 5;

export type Person = { userId: string; identity: ServiceIdentity };

type MergedParts = Pick<ListingParts, 'list' | 'requests' | 'readOwnRuns' | 'connections'>;

export async function readMerged(
  parts: MergedParts,
  asked: ListingQuestion,
  person: Person | undefined,
): Promise<Listing> {
  const inView = await runsInView(parts, asked.viewer);
  let place = readCursor(placeSchema, asked.cursor) ?? beginning;
  for (let looked = 1; ; looked += 1) {
    const { rows, next } = await readPage({ ...parts, inView }, asked, person, place);
    const isEnough = rows.length > 0 || looked === pagesLookedAt;
    if (!next) return { rows };
    if (isEnough) return { rows, next: JSON.stringify(next) };
    place = next;
  }
}

/**
 * One page of each is enough for the newest rows: what the service lists is among what the store lists, or was started
 * elsewhere.
 */
async function readPage(
  parts: MergedParts & { inView: OwnRuns },
  { filter, viewer }: ListingQuestion,
  person: Person | undefined,
  place: Place,
): Promise<{ rows: RunRow[]; next: Place | undefined }> {
  const { connectionId, serviceId } = parts.inView;
  const wanted = { after: place.stored, limit: rowsShown + 1 };
  const [stored, page] = await Promise.all([
    parts.list.page(requestFilterOf(filter, viewer), wanted),
    place.service && listPage(parts.inView, runsQueryOf(filter), person, place.service),
  ]);
  const shownBefore = place.service?.shown ?? [];
  const ours = await parts.requests.findOfRuns(serviceId, page?.runs ?? []);
  const elsewhere = (page?.runs ?? []).filter(
    (run) =>
      (!person || isOf(run, person.identity)) &&
      fitsFilter(run, filter) &&
      !ours.has(run.run_id) &&
      !shownBefore.includes(run.run_id),
  );
  const creator = person && { creator: { slackUserId: person.userId } };
  const all = [
    ...stored.map((request) => ({ row: requestRow(request), request, run: undefined })),
    ...elsewhere.map((run) => ({
      row: { ...runRow({ run, connectionId }), ...creator },
      request: undefined,
      run,
    })),
  ].sort((a, b) => (b.row.at ?? 0) - (a.row.at ?? 0));
  const taken = all.slice(0, rowsShown);
  const left = all.slice(rowsShown);
  const last = taken.findLast(({ request }) => request)?.request;
  const service = left.some(({ run }) => run)
    ? {
        ...place.service,
        shown: [...shownBefore, ...taken.flatMap(({ run }) => run?.run_id ?? [])],
      }
    : page?.next === undefined
      ? undefined
      : { cursor: page.next, shown: [] };
  const hasMore = service !== undefined || left.length > 0;
  const after = last ? { acceptedAt: last.acceptedAt, id: last.id } : place.stored;
  return {
    rows: taken.map(({ row }) => row),
    next: hasMore ? { stored: after, service } : undefined,
  };
}

async function listPage(
  inView: OwnRuns,
  query: ReturnType<typeof runsQueryOf>,
  person: Person | undefined,
  { cursor }: ServicePlace,
): Promise<{ runs: readonly Run[]; next: string | undefined }> {
  try {
    const creator = person && { creator: person.identity.uid };
    const wanted = { ...query, ...creator, limit: rowsShown, cursor };
    const { runs: found, page_info: info } = await inView.list(wanted, listCall);
    return {
      runs: found,
      next: info.has_next_page ? (info.next_cursor ?? undefined) : undefined,
    };
  } catch (error) {
    // The service doesn't know this creator.
    if (error instanceof RunsApiError && [400, 404, 422].includes(error.status ?? 0))
      return { runs: [], next: undefined };
    throw error;
  }
}
