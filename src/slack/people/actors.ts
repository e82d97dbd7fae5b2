import type { Logger } from '../../lib/logger.ts';
import { withSoftTimeout } from '../../lib/time/soft-timeout.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import type { Actor } from './may.ts';
import { createMemberMemory } from './member-memory.ts';
import type { People, Person } from './people.ts';

type ActorParts = {
  people: Pick<People, 'find' | 'findNow' | 'recallRecent'>;
  settings: Pick<Settings, 'read' | 'write'>;
  logger: Logger;
};

export type Actors = ReturnType<typeof createActors>;

/** Who someone is. `waitMs`, for an acknowledgement, is how long Slack may take to say it. */
export function createActors({ people, ...parts }: ActorParts) {
  const memory = createMemberMemory(parts);

  /** While Slack doesn't answer, what it said within the last day counts. */
  async function read(asker: RunViewer, waitMs?: number): Promise<Actor> {
    const { teamId, userId } = asker;
    const person = await answerOf(people.find(userId), waitMs);
    const actor = actorOf(person ?? people.recallRecent(userId), teamId);
    // Only what Slack says now: else what it said once would count from day to day.
    if (person && actor.role !== 'unknown') memory.note(asker, actor.role);
    else if (actor.role === 'unknown' && (await memory.wasMember(asker)))
      return { role: 'member', isAdmin: false };
    return actor;
  }

  /** Past what is known, for what changes something. */
  async function readNow({ teamId, userId }: RunViewer, waitMs?: number): Promise<Actor> {
    return actorOf(await answerOf(people.findNow(userId), waitMs), teamId);
  }

  return { read, readNow };
}

async function answerOf(found: Promise<Person>, waitMs?: number): Promise<Person | undefined> {
  try {
    return await withSoftTimeout(found, waitMs);
  } catch (error) {
    readSlackFailure(error);
    return undefined;
  }
}

export function actorOf(person: Person | undefined, teamId: string): Actor {
  if (!person) return { role: 'unknown', isAdmin: false };
  const { role, isAdmin, teamIds } = person;
  if (teamIds.includes(teamId)) return { role, isAdmin: isAdmin && role === 'member' };
  return { role: 'external', isAdmin: false };
}
