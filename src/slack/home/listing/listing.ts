/** What all listings of the Home tab have in common. */
import { z } from 'zod';
import type { RequestList } from '../../../store/requests/request-list.ts';
import type { Requests } from '../../../store/requests/requests.ts';
import type { RunViewer } from '../../../store/requests/visible-requests.ts';
import type { RunConnections } from '../../configuration/run-connections.ts';
import type { ReadOwnRuns } from '../../runs/reading/own-runs.ts';
import { runRowSchema } from '../../runs/showing/run-rows.ts';
import type { HomeFilter } from '../filter/home-filter.ts';
import type { ApiCreators } from './api-creators.ts';
import type { IdentityParts } from './service-identity.ts';

/** A row is two of the 100 blocks that a view may have. */
export const rowsShown = 20;

/** One page. `next` leads to the older one. */
export const listingSchema = z.object({
  rows: z.array(runRowSchema),
  next: z.string().optional(),
});
export type Listing = z.infer<typeof listingSchema>;

export type ListingParts = Pick<IdentityParts, 'readIdentity'> & {
  list: Pick<RequestList, 'page'>;
  requests: Pick<Requests, 'findOfRuns' | 'findVisible'>;
  readOwnRuns: ReadOwnRuns;
  connections: Pick<RunConnections, 'usual'>;
  apiCreators: Pick<ApiCreators, 'note' | 'uidOf'>;
};

export type ListingQuestion = {
  viewer: RunViewer;
  filter: HomeFilter;
  cursor: string | undefined;
};
