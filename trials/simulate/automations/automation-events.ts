import { nextTime } from 'base/schedule/cron';
import type { Automation } from '../../../src/automations/automation.ts';
import type { FiringContent } from '../../../src/automations/firing.ts';
import type { createAutomations } from '../../../src/store/automations/automations.ts';
import type { createFirings } from '../../../src/store/automations/firings.ts';
import type { Random } from '../../random.ts';
import type { Scheduler } from '../scheduler.ts';
import type { createReplicas } from './automation-replicas.ts';
import type { Act, Arrival } from './automations-plan.ts';

/** A bot, as people and senders reach it. */
export type SimulatedBot = {
  automations: ReturnType<typeof createAutomations>;
  firings: ReturnType<typeof createFirings>;
  wake(): void;
};

export type Handled = {
  /** Arrivals that a bot acknowledged and stored. */
  arrived: Arrival[];
  /** Acts that a bot confirmed. */
  acted: (Act & { doneMs: number })[];
};

type EventsDeps = {
  scheduler: Scheduler;
  random: Random;
  replicas: ReturnType<typeof createReplicas<SimulatedBot>>;
  idOf(automation: number): string;
  gone: Set<string>;
  log(line: string): void;
};

const teamId = 'T1';
const retryMs = 1_000;

/** Simulates senders that repeat what nobody acknowledged, and people who pause, change and delete automations. */
export function createAutomationEvents(deps: EventsDeps) {
  const { scheduler, random, replicas, idOf, gone, log } = deps;
  const handled: Handled = { arrived: [], acted: [] };
  let waiting = 0;

  /** Lets a bot handle something, and repeats that until a bot confirmed it. */
  function deliver(atMs: number, what: string, handle: (bot: SimulatedBot) => Promise<void>): void {
    waiting += 1;
    let isDone = false;
    const send = () => {
      if (isDone) return;
      const replica = replicas.find(random.below(2));
      if (replica)
        scheduler.in(0, replica.owner, () => {
          void handle(replica.bot).then(
            () => {
              if (isDone) return;
              isDone = true;
              waiting -= 1;
              log(`${replica.owner.name} confirms ${what}`);
            },
            (error: unknown) => log(`${replica.owner.name} rejects ${what}: ${String(error)}`),
          );
        });
      scheduler.in(retryMs, undefined, send);
    };
    scheduler.in(atMs, undefined, send);
  }

  async function arrive(arrival: Arrival, { automations, firings, wake }: SimulatedBot) {
    const automation = await findFired(arrival, automations);
    if (!automation) return;
    const { key, startKey } = arrival;
    const fired = contentOf(automation, arrival);
    const place = { automationId: automation.id, teamId };
    await firings.add({ ...place, happenedAt: Date.now(), key, startKey, fired });
    handled.arrived.push(arrival);
    wake();
  }

  /** Returns the automation if the listener of its trigger finds it. */
  async function findFired(
    { automation }: Arrival,
    automations: SimulatedBot['automations'],
  ): Promise<Automation | undefined> {
    const id = idOf(automation);
    const found = await automations.find(teamId, id);
    const kind = found?.definition.trigger.kind;
    if (kind !== 'message' && kind !== 'reaction') return found;
    const fired =
      kind === 'message'
        ? await automations.onMessages(teamId, 'C1')
        : await automations.onReaction(teamId, 'C1', 'eyes');
    return fired.find((each) => each.id === id);
  }

  async function act(given: Act, { automations, wake }: SimulatedBot): Promise<void> {
    const id = idOf(given.automation);
    const automation = await automations.find(teamId, id);
    if (!automation) return;
    const { definition } = automation;
    const { trigger } = definition;
    const nextAt = trigger.kind === 'schedule' ? nextTime(trigger, Date.now()) : null;
    switch (given.act) {
      case 'pause':
        await automations.pause(id, { code: 'person', sentence: '', by: 'U2', at: Date.now() });
        break;
      case 'resume':
        await automations.resume(id, nextAt, 'U2');
        break;
      case 'remove':
        await automations.remove(id, 'U2');
        break;
      case 'edit': {
        const next = { name: automation.name, channelId: 'C1', definition, nextAt };
        await automations.change(id, automation.revision, next, 'U2');
        break;
      }
      case 'leave':
        gone.add(automation.ownerId);
        break;
    }
    handled.acted.push({ ...given, doneMs: scheduler.sinceStartMs });
    wake();
  }

  return {
    handled,
    isWaiting: () => waiting > 0,
    plan(arrivals: readonly Arrival[], acts: readonly Act[]): void {
      for (const arrival of arrivals)
        for (const again of [0, ...arrival.againMs])
          deliver(arrival.atMs + again, arrival.key, (bot) => arrive(arrival, bot));
      for (const each of acts)
        deliver(each.atMs, `${each.act} of ${each.automation}`, (bot) => act(each, bot));
    },
  };
}

function contentOf({ definition }: Automation, { key }: Arrival): FiringContent {
  switch (definition.trigger.kind) {
    case 'message':
      return { kind: 'message', channelId: 'C1', ts: key, by: 'U3' };
    case 'reaction':
      return { kind: 'reaction', channelId: 'C1', ts: key, by: 'U3' };
    default:
      return { kind: 'webhook', deliveryId: key };
  }
}
