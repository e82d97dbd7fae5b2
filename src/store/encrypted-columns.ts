import { type EncryptedColumnsOf, ownersOf } from 'base/database/tables';
import type { DatabaseSchema } from './schema.ts';

/**
 * Lists the bot's encrypted columns, each with the column that owns its values. Select that column as well, because a
 * value can only be decrypted for its owner. An encrypted column has the same owner in every table.
 */
export const encryptedColumns: EncryptedColumnsOf<DatabaseSchema> = {
  requests: {
    prompt: 'id',
    config_json: 'id',
    run_json: 'id',
    pending_update_json: 'id',
    publish_problem: 'id',
    publish_wanted_json: 'id',
  },
  automations: { secret: 'id', previous_secret: 'id', definition_json: 'id' },
  automation_firings: { content_json: 'id', body: 'id' },
  answers: { given_json: 'id', problem: 'id' },
  inbox: { content_json: 'id' },
  outbox: { content_json: 'id' },
  drafts: { draft_json: 'id' },
  settings: { value_json: 'scope_id' },
  installations: { bot_token: 'id', refresh_token: 'id' },
  connections: { api_key: 'id' },
  home_views: { listing_json: 'user_id' },
};

export const owners = ownersOf([{ encryptedColumns }]);
