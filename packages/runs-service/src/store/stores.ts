import { createDispatches } from './dispatches.ts';
import { createFollowups } from './followups.ts';
import { createConversations } from './kept-conversations.ts';
import { createModelCalls } from './model-calls.ts';
import { createModelTokens } from './model-tokens.ts';
import { createProgressStore } from './progress-store.ts';
import { createQueueStore } from './queued-runs.ts';
import { createReportedUsages } from './reported-usage.ts';
import { createRunLeases } from './run-leases.ts';
import { createRunQuestions } from './run-questions.ts';
import { createRuns } from './runs.ts';
import { createSchedules } from './schedules.ts';
import type { Db } from './schema.ts';
import { createSpendQuestions } from './spend-questions.ts';

export const createStores = (db: Db) => ({
  conversations: createConversations(db),
  runs: createRuns(db),
  schedules: createSchedules(db),
  queueStore: createQueueStore(db),
  dispatches: createDispatches(db),
  followups: createFollowups(db),
  progress: createProgressStore(db),
  questions: createRunQuestions(db),
  spendQuestions: createSpendQuestions(db),
  reportedUsages: createReportedUsages(db),
  leases: createRunLeases(db),
  modelCalls: createModelCalls(db),
  modelTokens: createModelTokens(db),
});
export type Stores = ReturnType<typeof createStores>;
