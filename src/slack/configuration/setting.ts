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
  /** Nobody else changes it meanwhile. `next`: undefined leaves it as it is. */
  change: (
    settings: Pick<Settings, 'change'>,
    owner: SettingOwner,
    by: string,
    next: (value: T) => T | undefined,
  ): Promise<void> =>
    settings.change(owner, key, by, (stored) => {
      const value = next(schema.parse(stored));
      return value === undefined ? undefined : { value };
    }),
});
