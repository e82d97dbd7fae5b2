import { ExplainedError } from 'base/explained-error';
import type { KeyRole, ServiceKey } from './keyring.ts';

const form = /^(service:)?([\w.@-]+?)(?::(own|all|read))?=(.{32,})$/;

/**
 * Parses `RUNS_SERVICE_KEYS`: a list of `<name>=<key>`, or `service:<name>=<key>` for a program; `:all` or `:read` after
 * the name sets the role.
 * @throws ExplainedError with the number of the entry, never its content
 */
export function readKeys(text: string): ServiceKey[] {
  const entries = text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean);
  return entries.map((entry, index) => {
    const [, service, uid, role = 'own', key] = form.exec(entry) ?? [];
    if (uid === undefined || key === undefined)
      throw new ExplainedError(
        `RUNS_SERVICE_KEYS: entry ${index + 1} must be <name>=<key> or service:<name>=<key>, with :all or :read after the name for another role, and a key of at least 32 characters. To make a key: openssl rand -hex 32`,
      );
    const type = service ? 'service_account' : 'user';
    return { key, role: role as KeyRole, creator: { type, uid, display_name: uid } };
  });
}
