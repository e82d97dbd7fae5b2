import type { z } from 'zod';
import type { SettingOwner, Settings } from '../../store/people/settings.ts';

/** One value that an owner can have under `key`. The schema gives the default for what's absent or unreadable. */
export const setting = <T>(key: string, schema: z.ZodType<T>) => ({
  read: async (settings: Pick<Settings, 'read'>, owner: SettingOwner): Promise<T> =>
    schema.parse(await settings.read(owner, key)),
  write: (
    settings: Pick<Settings, 'write'>,
    owner: SettingOwner,
    value: T,
    by?: string,
  ): Promise<void> => settings.write(owner, key, value, by),
  /** Nobody else changes it meanwhile. */
  change: (
    settings: Pick<Settings, 'change'>,
    owner: SettingOwner,
    by: string,
    next: (value: T) => T,
  ): Promise<void> =>
    settings.change(owner, key, by, (value) => ({ value: next(schema.parse(value)) })),
});
