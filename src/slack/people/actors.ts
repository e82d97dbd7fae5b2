import { entryLimit } from 'base/entry-limit';
import type { Logger } from 'base/logger';
import { withSoftTimeout } from 'base/time/soft-timeout';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Settings } from '../../store/people/settings.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import type { People, Person } from './people.ts';
import type { Actor, Role } from './permissions.ts';
import type { Policies } from './policies.ts';
import { ownerOf, setting } from './setting.ts';

export type Actors = ReturnType<typeof createActors>;

/** Time after which the start of a person's outage is forgotten, in ms. A later outage starts a new wait. */
const forgetMs = 10 * 60_000;

/**
 * Creates functions that read people's roles. `waitMs` limits the wait for Slack if an acknowledgement waits for the
 * role. While Slack can't say who someone is, the functions throw Slack's error for `patienceMs`, so that the work is
 * repeated.
 */
export function createActors(deps: {
  people: Pick<People, 'find' | 'findNow' | 'recallRecent'>;
  policies: Pick<Policies, 'namesAdmin'>;
  settings: Pick<Settings, 'read' | 'write'>;
  /** Max time in ms that work waits for Slack to say who someone is. */
  patienceMs?: number | undefined;
  logger: Logger;
}) {
  const { people, policies, settings, patienceMs = 0, logger } = deps;
  const memory = createMemberMemory(settings, logger);
  const unknownSince = new LRUCache<string, number>({ ...entryLimit(10_000), ttl: forgetMs });

  /** Reads the role of a person. While Slack is down, uses Slack's answers of the last day. */
  async function read(asker: RunViewer, waitMs?: number): Promise<Actor> {
    const { userId } = asker;
    const answer = await answerOf(people.find(userId), waitMs);
    if ('person' in answer) return actorSeen(asker, answer.person, waitMs);
    const actor = await actorFor(asker, people.recallRecent(userId), waitMs);
    if (actor.role !== 'unknown') return actor;
    if (await memory.wasMember(asker)) return { role: 'member', isAdmin: false };
    waitForSlack(userId, answer);
    return answer.isHidden ? { ...actor, isHidden: true } : actor;
  }

  /**
   * Reads the role from Slack instead of from caches. Used before something is changed.
   * @param maxAgeMs max age of a cached answer to use instead
   */
  async function readNow(asker: RunViewer, waitMs?: number, maxAgeMs?: number): Promise<Actor> {
    const { teamId, userId } = asker;
    const answer = await answerOf(people.findNow(userId, maxAgeMs), waitMs);
    if ('person' in answer) return actorFor(asker, answer.person, waitMs);
    waitForSlack(userId, answer);
    const actor = actorOf(undefined, teamId);
    return answer.isHidden ? { ...actor, isHidden: true } : actor;
  }

  /**
   * Returns the role from Slack's answer, and remembers it with the current time. Older answers that are used while
   * Slack is down aren't remembered, because their time would be wrong.
   */
  async function actorSeen(asker: RunViewer, person: Person, waitMs?: number): Promise<Actor> {
    const actor = await actorFor(asker, person, waitMs);
    unknownSince.delete(asker.userId);
    if (actor.role !== 'unknown') memory.note(asker, actor.role);
    return actor;
  }

  /** Returns the role of a person. Also makes a member an admin if the policy file lists them as an admin. */
  async function actorFor(asker: RunViewer, person: Person | undefined, waitMs?: number) {
    const actor = actorOf(person, asker.teamId);
    if (actor.role !== 'member' || actor.isAdmin) return actor;
    return { ...actor, isAdmin: await policies.namesAdmin(asker, waitMs) };
  }

  function waitForSlack(userId: string, { error }: Silence): void {
    if (error === undefined) return;
    const since = unknownSince.get(userId) ?? Date.now();
    unknownSince.set(userId, since, { noUpdateTTL: true });
    if (Date.now() - since < patienceMs) throw error;
  }

  return { read, readNow, actorFor };
}

/** Reasons why Slack gave no answer. `error` is temporary. `isHidden` means that the app lacks the scope. */
type Silence = { error?: unknown; isHidden?: true };

async function answerOf(
  found: Promise<Person>,
  waitMs?: number,
): Promise<{ person: Person } | Silence> {
  try {
    const person = await withSoftTimeout(found, waitMs);
    return person ? { person } : {};
  } catch (error) {
    const { outcome, reason } = readSlackFailure(error);
    if (outcome === 'later') return { error };
    return reason === 'missing_scope' ? { isHidden: true } : {};
  }
}

function actorOf(person: Person | undefined, teamId: string): Actor {
  if (!person) return { role: 'unknown', isAdmin: false };
  const { role, isAdmin, teamIds } = person;
  if (teamIds.includes(teamId)) return { role, isAdmin: isAdmin && role === 'member' };
  return { role: 'external', isAdmin: false };
}

/**
 * Setting with the time when Slack last said that a person is a full member, in epoch ms. It's 0 if Slack has said
 * otherwise since.
 */
const memberAt = setting('person.member-at', z.number().catch(0));

const dayMs = 24 * 60 * 60_000;
/** Min time between two writes of the same membership. */
const againMs = 60 * 60_000;
const cache = { ...entryLimit(10_000), ttl: againMs, perf: { now: () => Date.now() } };

/**
 * Creates a memory of full members, so that they can work while Slack is down. It lasts a day, also after a restart.
 */
function createMemberMemory(settings: Pick<Settings, 'read' | 'write'>, logger: Logger) {
  const noted = new LRUCache<string, Role>(cache);

  return {
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
