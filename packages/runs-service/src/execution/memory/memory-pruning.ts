import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findEnvironment, type ServiceEnvironment } from '../../environments/environments.ts';
import type { ServiceConversations } from '../../store/service-conversations.ts';
import { keptMs } from './conversation-memory.ts';

type MemoryPruningOptions = {
  folder: string;
  conversations: ServiceConversations;
  environments: () => readonly ServiceEnvironment[];
};

/** A file is written before its row. */
const unfinishedMs = 60 * 60_000;

/** Deletes what was kept for longer than `conversation_days`. Returns how many conversations. */
export async function pruneMemories(options: MemoryPruningOptions): Promise<number> {
  const { folder, conversations, environments } = options;
  let deleted = 0;
  for (const {
    id,
    environment_id: environmentId,
    saved_at: savedAt,
  } of await conversations.list()) {
    const environment = findEnvironment(environments(), environmentId) ?? {};
    if (savedAt > Date.now() - keptMs(environment)) continue;
    await conversations.delete(id);
    deleted += 1;
  }
  const wanted = await conversations.fileNames();
  for (const name of await readdir(folder).catch(() => [])) {
    if (wanted.has(name)) continue;
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > unfinishedMs) await rm(join(folder, name));
  }
  return deleted;
}
