import type { NewStoredRun, StoredRun } from '../../../src/store/runs.ts';

let number = 0;

/** Returns a new run, as the runs service stores it. */
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
    limits_json: null,
    schedule_json: null,
    metadata: {},
    ...more,
  };
}

/** Returns a run as it's read from the store. */
export function aStoredRun(more: Partial<StoredRun> = {}): StoredRun {
  const { metadata, attachments: _, conversationId, ...columns } = aServiceRun();
  return {
    ...columns,
    id: 'run',
    state: 'INPROGRESS',
    status_json: null,
    search_text: '',
    conversation_id: conversationId ?? 'conversation',
    created_at: 1,
    updated_at: 1,
    started_at: 1,
    model_token_hash: null,
    spend_stopped: null,
    ended_at: null,
    cancel_requested: 0,
    followups_closed: 0,
    usage_json: null,
    metadata_json: JSON.stringify(metadata),
    number: 1,
    lease_owner: null,
    lease_until: null,
    restarts: 0,
    ...more,
  };
}
