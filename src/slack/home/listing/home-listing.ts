import { RunsApiError } from 'runs-client/runs-api-error';
import { failureSentence } from '../../text/failure.ts';
import { type HomeFilter, isElsewhere } from '../filter/home-filter.ts';
import type { Listing, ListingParts, ListingQuestion } from './listing.ts';
import { readMerged } from './merged-listing.ts';
import { readServiceIdentity } from './service-identity.ts';

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

export async function readListing(parts: ListingParts, asked: ListingQuestion): Promise<Listing> {
  const { filter, viewer } = asked;
  if (!needsService(parts, filter)) return readStored(parts, asked);
  const hasRequests = !isElsewhere(filter);
  const inView = parts.readOwnRuns(await parts.connections.usual({ ...viewer, channelId: '' }));
  const isOfPerson = filter.creator === 'me' || filter.creator === 'person';
  if (!isOfPerson)
    return readMerged(parts, asked, { hasRequests, service: { inView, person: undefined } });
  const userId = filter.creator === 'me' ? viewer.userId : filter.userId;
  const identity = await readServiceIdentity(parts, viewer.teamId, userId);
  const person = identity && { userId, identity };
  return readMerged(parts, asked, { hasRequests, service: person && { inView, person } });
}

/** From the store: everything started from Slack. */
export const readStored = (parts: ListingParts, asked: ListingQuestion): Promise<Listing> =>
  readMerged(parts, asked, { hasRequests: true, service: undefined });

/** @throws errors that don't come from the service */
export function listingTrouble(error: unknown, connectionId: string): string {
  if (error instanceof RunsApiError) return failureSentence(error.code, connectionId);
  throw error;
}
