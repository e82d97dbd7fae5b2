import { createServiceRunFollowups } from './runs/service-run-followups.ts';
import { createServiceRunLeases } from './runs/service-run-leases.ts';
import { createServiceRunProgress } from './runs/service-run-progress.ts';
import { createServiceRunQuestions } from './runs/service-run-questions.ts';
import { createServiceRunQueue } from './runs/service-run-queue.ts';
import { createServiceRuns } from './runs/service-runs.ts';
import type { Db } from './schema.ts';
import { createServiceConversations } from './service-conversations.ts';
import { createServiceDispatches } from './service-dispatches.ts';

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
