/**
 * Tables as types. Columns are only `text`, `integer` and `bigint`, so that one schema serves SQLite and PostgreSQL:
 * JSON is text, times are epoch milliseconds, booleans are 0 or 1.
 */
export type DatabaseSchema = {
  settings: SettingsTable;
};

/** One value for one owner: `scope` is `person`, `channel` or `workspace`, `scope_id` the Slack id. */
export type SettingsTable = {
  team_id: string;
  scope: string;
  scope_id: string;
  key: string;
  value_json: string;
  updated_at: number;
};
