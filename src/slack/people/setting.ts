import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { NextSetting, Scope, SettingOwner, Settings } from '../../store/people/settings.ts';

/**
 * Creates a setting of a workspace, channel or person. The schema gives the default for an absent or unreadable value.
 */
export const setting = <T>(key: string, schema: z.ZodType<T>) => ({
  read: async (settings: Pick<Settings, 'read'>, owner: SettingOwner): Promise<T> =>
    schema.parse(await settings.read(owner, key)),
  /** Stores a value that the app notes for itself, without an audit entry. */
  write: (settings: Pick<Settings, 'write'>, owner: SettingOwner, value: T): Promise<void> =>
    settings.write(owner, key, value),
  /**
   * Stores a value that a person sets, and adds an audit entry if it differs. Changes run one at a time, so none is
   * lost. If `next` returns undefined, nothing changes.
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

/** Describes a change for the audit log by the names of changed members, never their values. */
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

/** Person and channel with the settings that decide which defaults apply. */
export type Asker = { teamId: string; channelId: string; userId: string };

/** Returns the owner of a setting. Pass the ID that the scope needs. */
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
