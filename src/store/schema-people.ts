import type { Encrypted } from 'base/encryption/secret';
import type { Generated } from 'kysely';

/** An action of a person. `sent_at` is when the webhook accepted the entry. */
export type AuditEntriesTable = {
  position: Generated<number>;
  id: string;
  team_id: string;
  created_at: number;
  action: string;
  /** A Slack user, or `system`. */
  actor_id: string;
  entity_type: string;
  entity_id: string;
  channel_id: string | null;
  details_json: string;
  sent_at: number | null;
};

/** One value for one owner: `scope` is `person`, `channel` or `workspace`, `scope_id` the Slack id. */
export type SettingsTable = {
  team_id: string;
  scope: string;
  scope_id: string;
  key: string;
  value_json: Encrypted<'value_json'>;
  updated_at: number;
};

/** The draft of an open form; deleted after an hour. */
export type DraftsTable = {
  id: string;
  team_id: string;
  draft_json: Encrypted<'draft_json'>;
  created_at: number;
  /** 1 when *More options* was pressed. */
  is_whole: Generated<number>;
};
