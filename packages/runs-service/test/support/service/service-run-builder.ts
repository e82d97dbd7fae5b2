import type { NewStoredRun } from '../../../src/store/runs.ts';

let number = 0;

/** A run as the runs service stores it. */
export function aServiceRun(more: Partial<NewStoredRun> = {}): NewStoredRun {
  number += 1;
  return {
    session_token: `token-${number}`,
    title: `Run ${number}`,
    prompt: 'Do it',
    config_json: '{}',
    config_name: null,
    model_id: null,
    environment_id: 'demo',
    skill_spec: null,
    creator_json: '{"uid":"ada"}',
    creator_uid: 'ada',
    key_uid: 'user ada',
    source: 'API',
    idempotency_key: null,
    request_hash: '',
    metadata: {},
    ...more,
  };
}
