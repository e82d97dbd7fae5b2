import type { StoredFiring } from './automation-invariants.ts';
import type { AutomationsDatabase } from './automations-database.ts';

/** Reads the stored firings, without the program's own code. */
export const readStoredFirings = (database: AutomationsDatabase): StoredFiring[] =>
  database.rows('select * from automation_firings').map((row) => {
    const { fired } = decrypted(row['content_json']);
    const happenedAt = Number(row['happened_at']);
    return {
      id: String(row['id']),
      automationId: String(row['automation_id']),
      state: String(row['state']),
      happenedAt,
      lastAt: fired.lastAt ?? happenedAt,
      count: fired.count ?? 1,
      startKey: String(row['start_key']),
      requestId: textOrNone(row['request_id']),
      reason: textOrNone(row['reason']),
    };
  });

const textOrNone = (value: unknown) => (value === null ? undefined : String(value));

function decrypted(value: unknown): { fired: { lastAt?: number; count?: number } } {
  const text = String(value);
  const [, json]: [string, string] = JSON.parse(text.slice(text.indexOf('[')));
  return JSON.parse(json);
}
