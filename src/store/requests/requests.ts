import type { Db } from '../schema.ts';
import { createAcceptance } from './accept-request.ts';
import { createRequestLookup } from './request-lookup.ts';
import { createRequestMarks } from './request-marks.ts';
import { createRunLookup } from './requests-of-runs.ts';

export type Requests = ReturnType<typeof createRequests>;

/** Accepts requests, finds them, and stores the intents of people's clicks. */
export const createRequests = (db: Db) => ({
  ...createAcceptance(db),
  ...createRequestLookup(db),
  ...createRunLookup(db),
  ...createRequestMarks(db),
});
