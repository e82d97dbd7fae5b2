import { readFile, stat } from 'node:fs/promises';
import type { ModelProvider } from '../environments/models-config.ts';

/** Key of a provider. It's undefined for a provider that needs none. */
export type ProviderKey = { key: string | undefined } | { problem: 'unreadable' };

export type ReadKey = (provider: Pick<ModelProvider, 'key_file'>) => Promise<ProviderKey>;

/** Creates a function that returns providers' keys. A key's file is read again when it has changed. */
export function createReadKey(): ReadKey {
  const keys = new Map<string, { version: string; key: string }>();
  return async ({ key_file: file }) => {
    if (file === undefined) return { key: undefined };
    try {
      const { mtimeMs, size, ino } = await stat(file);
      const version = `${mtimeMs} ${size} ${ino}`;
      const known = keys.get(file);
      if (known?.version === version) return { key: known.key };
      const key = (await readFile(file, 'utf8')).trim();
      // A header can contain no other characters.
      if (!/^[\x21-\x7e]+$/.test(key)) return { problem: 'unreadable' };
      keys.set(file, { version, key });
      return { key };
    } catch {
      return { problem: 'unreadable' };
    }
  };
}
