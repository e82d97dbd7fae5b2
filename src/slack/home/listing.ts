/** What all listings of the Home tab have in common. */
import { z } from 'zod';
import type { RequestList } from '../../store/requests/request-list.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import type { ReadOwnRuns } from '../runs/own-runs.ts';
import { runRowSchema } from '../runs/run-rows.ts';
import type { ApiCreators } from './api-creators.ts';
import type { HomeFilter } from './home-filter.ts';
import type { IdentityParts } from './service-identity.ts';

export const rowsShown = 20;

/** One page. `next` leads to the older one. */
export const listingSchema = z.object({
  rows: z.array(runRowSchema),
  /** Some requests without a run didn't fit. */
  hasMoreUnlisted: z.boolean().optional(),
  next: z.string().optional(),
});
export type Listing = z.infer<typeof listingSchema>;

export type ListingParts = Pick<IdentityParts, 'readIdentity'> & {
  list: Pick<RequestList, 'page' | 'withoutRun'>;
  requests: Pick<Requests, 'findOfRuns' | 'findVisible'>;
  readOwnRuns: ReadOwnRuns;
  connections: Pick<RunConnections, 'usual' | 'names'>;
  apiCreators: Pick<ApiCreators, 'note' | 'uidOf'>;
};

export type ListingQuestion = {
  viewer: RunViewer;
  filter: HomeFilter;
  cursor: string | undefined;
};

/** Something is already shown, so a slow service may take its time. */
export const listCall = { timeoutMs: 10_000, maxRetries: 1 } as const;

/** Through which this person looks at runs that were started elsewhere. */
export const runsInView = async (
  { readOwnRuns, connections }: Pick<ListingParts, 'readOwnRuns' | 'connections'>,
  viewer: RunViewer,
) => readOwnRuns(await connections.usual({ ...viewer, channelId: '' }));

export const storePlaceSchema = z.object({ acceptedAt: z.number(), id: z.string() });

export function readCursor<Schema extends z.ZodType>(
  schema: Schema,
  cursor: string | undefined,
): z.infer<Schema> | undefined {
  return cursor === undefined ? undefined : schema.safeParse(JSON.parse(cursor)).data;
}
