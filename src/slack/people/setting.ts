import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { NextSetting, Scope, SettingOwner, Settings } from '../../store/people/settings.ts';

/** One value that an owner can have under `key`. The schema gives the default for what's absent or unreadable. */
export const setting = <T>(key: string, schema: z.ZodType<T>) => ({
  read: async (settings: Pick<Settings, 'read'>, owner: SettingOwner): Promise<T> =>
    schema.parse(await settings.read(owner, key)),
  /** For what the app itself remembers. */
  write: (settings: Pick<Settings, 'write'>, owner: SettingOwner, value: T): Promise<void> =>
    settings.write(owner, key, value),
  /**
   * For what a person sets. Nobody else changes it meanwhile. `next`: undefined leaves it as it is. The audit log notes it
   * unless it stays the same.
   */
  change: (
    settings: Pick<Settings, 'change'>,
    owner: SettingOwner,
    by: string,
    next: (value: T) => T | undefined,
  ): Promise<void> =>
    settings.change(owner, key, by, (stored) => {
      const before = schema.parse(stored);
      const value = next(before);
      return value === undefined ? undefined : changeTo(before, value);
    }),
});

/** With the names of changed members for the audit log, never their values. */
function changeTo(before: unknown, value: unknown): NextSetting | undefined {
  const [was, is] = [membersOf(before), membersOf(value)];
  if (!was || !is) return before === value ? undefined : { value };
  const changed = [...new Set([...was.keys(), ...is.keys()])].filter(
    (name) => !isDeepStrictEqual(was.get(name), is.get(name)),
  );
  if (changed.length === 0) return undefined;
  return { value, entries: [{ details: { changed: changed.sort().join(', ') } }] };
}

const membersOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;

/** Who asks, and where: this decides which defaults apply. */
export type Asker = { teamId: string; channelId: string; userId: string };

/** Only what the scope needs has to be given. */
export function ownerOf(
  scope: Scope,
  { teamId, channelId = '', userId = '' }: Pick<Asker, 'teamId'> & Partial<Asker>,
): SettingOwner {
  const scopeIds: Record<Scope, string> = {
    workspace: teamId,
    channel: channelId,
    person: userId,
  };
  return { teamId, scope, scopeId: scopeIds[scope] };
}
