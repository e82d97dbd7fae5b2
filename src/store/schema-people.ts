import type { Encrypted } from 'base/encryption/secret';
import type { Generated } from 'kysely';

/** Actions of people. `sent_at` is the time when the webhook accepted the entry. */
export type AuditEntriesTable = {
  position: Generated<number>;
  id: string;
  team_id: string;
  created_at: number;
  action: string;
  /** Slack user ID of the person, or `system`. */
  actor_id: string;
  entity_type: string;
  entity_id: string;
  channel_id: string | null;
  details_json: string;
  sent_at: number | null;
};

/** Values of settings: `scope` is `person`, `channel` or `workspace`, and `scope_id` is the Slack ID. */
export type SettingsTable = {
  team_id: string;
  scope: string;
  scope_id: string;
  key: string;
  value_json: Encrypted<'value_json'>;
  updated_at: number;
};

/** Drafts of open forms, deleted after an hour. */
export type DraftsTable = {
  id: string;
  team_id: string;
  draft_json: Encrypted<'draft_json'>;
  created_at: number;
  /** Set to 1 when the person selects *More options*. */
  is_whole: Generated<number>;
};
