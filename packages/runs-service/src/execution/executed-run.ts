import type { StoredRun } from '../store/runs.ts';

/** What the steps know about their run. */
export type ExecutedRun = Pick<
  StoredRun,
  'id' | 'title' | 'prompt' | 'config_json' | 'environment_id' | 'conversation_id' | 'created_at'
>;
