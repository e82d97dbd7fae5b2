import { atMost } from 'base/at-most';
import { LRUCache } from 'lru-cache';

/** Another replica may have installed the app or refreshed the token. */
const freshMs = 5_000;
const mostKnown = 10_000;

/** Remembers the store's answers about workspaces. @param ask undefined if the app isn't there */
export function createWorkspaceMemory<Known extends object>(
  ask: (teamId: string) => Promise<Known | undefined>,
) {
  const memory = new LRUCache<string, { known: Known; readAt: number }>(atMost(mostKnown));

  /** From the store, unless it was read just now. While the store doesn't answer, what is known counts. */
  async function read(teamId: string): Promise<Known | undefined> {
    const found = memory.get(teamId);
    if (found && Date.now() - found.readAt < freshMs) return found.known;
    return readAgain(teamId).catch((error: unknown) => {
      if (!found) throw error;
      return found.known;
    });
  }

  async function readAgain(teamId: string): Promise<Known | undefined> {
    const readAt = Date.now();
    const known = await ask(teamId);
    const later = memory.get(teamId);
    if (later && later.readAt > readAt) return later.known;
    if (known) memory.set(teamId, { known, readAt });
    else memory.delete(teamId);
    return known;
  }

  return { read, readAgain, recall: (teamId: string) => memory.get(teamId)?.known };
}
