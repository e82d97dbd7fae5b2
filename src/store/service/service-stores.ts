import type { Db } from '../schema.ts';
import { createServiceConversations } from './service-conversations.ts';
import { createServiceDispatches } from './service-dispatches.ts';
import { createServiceRunFollowups } from './service-run-followups.ts';
import { createServiceRunLeases } from './service-run-leases.ts';
import { createServiceRunProgress } from './service-run-progress.ts';
import { createServiceRunQuestions } from './service-run-questions.ts';
import { createServiceRunQueue } from './service-run-queue.ts';
import { createServiceRuns } from './service-runs.ts';

export const createServiceStores = (db: Db) => ({
  conversations: createServiceConversations(db),
  runs: createServiceRuns(db),
  queueStore: createServiceRunQueue(db),
  dispatches: createServiceDispatches(db),
  followups: createServiceRunFollowups(db),
  progress: createServiceRunProgress(db),
  questions: createServiceRunQuestions(db),
  leases: createServiceRunLeases(db),
});
export type ServiceStores = ReturnType<typeof createServiceStores>;
