import type { ServiceRun } from '../store/runs/service-runs.ts';

/** What the steps know about their run. */
export type ExecutedRun = Pick<
  ServiceRun,
  'id' | 'title' | 'prompt' | 'config_json' | 'environment_id' | 'conversation_id' | 'created_at'
>;
