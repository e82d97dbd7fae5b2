import { atMost } from 'base/at-most';
import type { Logger } from 'base/logger';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Settings } from '../../store/people/settings.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Role } from './may.ts';
import { ownerOf, setting } from './setting.ts';

type MemoryParts = {
  settings: Pick<Settings, 'read' | 'write'>;
  logger: Logger;
};

/** When Slack last said that someone is a full member, in epoch milliseconds; 0 if it said otherwise. */
const memberAt = setting('person.member-at', z.number().catch(0));

const dayMs = 24 * 60 * 60_000;
/** So often it's stored again. */
const againMs = 60 * 60_000;
const cache = { ...atMost(10_000), ttl: againMs, perf: { now: () => Date.now() } };

/** Full members of the last day, who may work while Slack doesn't say who they are, also after a restart. */
export function createMemberMemory({ settings, logger }: MemoryParts) {
  const noted = new LRUCache<string, Role>(cache);

  return {
    /** Nobody waits for it. */
    note(person: RunViewer, role: Role): void {
      if (noted.get(person.userId) === role) return;
      noted.set(person.userId, role);
      const at = role === 'member' ? Date.now() : 0;
      memberAt.write(settings, ownerOf('person', person), at).catch((error: unknown) => {
        noted.delete(person.userId);
        logger.warn({ err: error }, "couldn't store who is a member, trying again later");
      });
    },

    wasMember: async (person: RunViewer): Promise<boolean> =>
      (await memberAt.read(settings, ownerOf('person', person))) > Date.now() - dayMs,
  };
}
