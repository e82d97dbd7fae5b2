import { sleep } from 'base/sleep';
import type { AutomationPlace, FiringToStart } from '../../../src/automations/port.ts';
import { ownAuthority } from '../../../src/requests/authority.ts';
import { operatorConnection } from '../../../src/requests/connection.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import type { Random } from '../../random.ts';
import type { Owner, Scheduler } from '../scheduler.ts';
import type { AutomationsDatabase } from './automations-database.ts';
import type { AutomationPlan } from './automations-plan.ts';

/** A start that a worker wanted, and the time for which its automation had been paused or deleted, in ms. */
export type WantedStart = { firingId: string; offForMs: number };

export type PlaceDeps = {
  scheduler: Scheduler;
  random: Random;
  database: AutomationsDatabase;
  planOf(automationId: string): AutomationPlan;
  /** People who left the workspace. */
  gone: ReadonlySet<string>;
  wanted: WantedStart[];
  /** Automations whose owner wasn't allowed to start a run. */
  denied: Set<string>;
  offForMs(automationId: string): number;
  log(line: string): void;
};

type FollowDeps = Pick<PlaceDeps, 'scheduler' | 'random' | 'database' | 'planOf' | 'log'>;

/** Lets runs begin and end, as the follower does. Call it often. */
export function createFollowing({ scheduler, random, database, planOf, log }: FollowDeps) {
  const followed = new Set<string>();
  return (): void => {
    for (const { id: requestId, automationId } of database.accepted()) {
      if (followed.has(requestId)) continue;
      followed.add(requestId);
      const { starts, runMs } = planOf(automationId);
      const createdMs = random.pick([300, 3_000, 7_000]);
      const move = (ms: number, step: string) =>
        scheduler.in(ms, undefined, () => {
          database.moveRequest(requestId, step);
          log(`${requestId} is ${step}`);
        });
      move(createdMs, starts === 'not_started' ? 'not_started' : 'following');
      if (starts !== 'not_started') move(createdMs + runMs, 'ended');
    }
  };
}

/**
 * Creates a model of Slack and the runs service, as a bot reaches them. A start takes a while, in which a bot can crash
 * before or after its request is stored.
 */
export function createSimulatedPlace(owner: Owner, deps: PlaceDeps): AutomationPlace {
  const { random, database, planOf, gone, wanted, denied, log } = deps;
  const requests = createRequests(database.open());

  async function accept({ automation, firing, requestId }: FiringToStart) {
    const isNew = await requests.accept({
      id: requestId,
      teamId: automation.teamId,
      creatorId: automation.ownerId,
      authority: ownAuthority(automation.ownerId),
      channelId: automation.channelId,
      connectionId: operatorConnection,
      title: automation.name,
      prompt: automation.definition.prompt,
      config: {},
      origin: {
        kind: 'automation',
        automation: {
          id: automation.id,
          name: automation.name,
          firingId: firing.id,
          trigger: automation.definition.trigger.kind,
        },
      },
      acceptedAt: Date.now(),
    });
    log(`${owner.name} starts ${requestId} for ${firing.id}${isNew ? '' : ' again'}`);
  }

  return {
    maxStartsPerHour: async () => undefined,
    async start(start) {
      const { automation, firing, requestId } = start;
      wanted.push({ firingId: firing.id, offForMs: deps.offForMs(automation.id) });
      await sleep(random.pick([1, 40, 800, 5_000]));
      const isKnown = database.rows('select id from requests').some(({ id }) => id === requestId);
      if (!isKnown) {
        if (gone.has(automation.ownerId)) {
          denied.add(automation.id);
          return { outcome: 'not allowed', sentence: `<@${automation.ownerId}> left.` };
        }
        if (planOf(automation.id).starts === 'rejected')
          return { outcome: 'failed', sentence: 'Its preset was deleted.' };
        if (random.chance(0.1))
          return { outcome: 'later', againAt: Date.now() + random.pick([500, 5_000]) };
        if (random.chance(0.05))
          return { outcome: random.pick(['unmatched', 'skipped']), sentence: 'Not for it.' };
      }
      await accept(start);
      await sleep(random.pick([1, 40, 800]));
      return { outcome: 'started' };
    },
  };
}
