import type { Owner, Scheduler } from '../scheduler.ts';
import type { AutomationsFault } from './automations-plan.ts';

type AtStep = Exclude<AutomationsFault, { type: 'clock' }>;

export type ReplicasDeps<Bot> = {
  scheduler: Scheduler;
  faults: readonly AutomationsFault[];
  /** Starts a bot in a process. */
  start(owner: Owner): Bot;
  log(line: string): void;
};

/** Simulates replicas of the bot, which crash, freeze and have wrong clocks. */
export function createReplicas<Bot>({ scheduler, faults, start, log }: ReplicasDeps<Bot>) {
  const atSteps = faults.filter((fault): fault is AtStep => 'atStep' in fault);
  const running = new Map<number, { owner: Owner; bot: Bot }>();

  function startReplica(index: number, starts: number, steps: number, skewMs: number): void {
    const owner: Owner = {
      name: `bot ${index + 1}.${starts}`,
      skewMs,
      frozenUntil: 0,
      isDead: false,
      steps,
      afterStep: (step) => afterStep(index, starts, owner, step),
    };
    scheduler.in(1, owner, () => {
      log(`${owner.name} starts`);
      running.set(index, { owner, bot: start(owner) });
    });
  }

  function afterStep(index: number, starts: number, owner: Owner, step: number): void {
    for (const fault of atSteps) {
      if (fault.replica !== index || fault.atStep !== step) continue;
      log(`${owner.name}: ${fault.type}`);
      if (fault.type === 'freeze') owner.frozenUntil = scheduler.nowMs + fault.ms;
      else {
        owner.isDead = true;
        running.delete(index);
        scheduler.in(fault.downMs, undefined, () =>
          startReplica(index, starts + 1, step, owner.skewMs),
        );
        return;
      }
    }
  }

  return {
    startAll(count: number): void {
      for (let index = 0; index < count; index += 1) startReplica(index, 1, 0, 0);
      for (const fault of faults)
        if (fault.type === 'clock')
          scheduler.in(fault.atMs, undefined, () => {
            const replica = running.get(fault.replica);
            if (!replica) return;
            replica.owner.skewMs = fault.byMs;
            log(`${replica.owner.name}: its clock is off by ${fault.byMs} ms`);
          });
    },
    /** Returns a running bot, with its process. Undefined while none runs. */
    find(index: number): { owner: Owner; bot: Bot } | undefined {
      return running.get(index) ?? [...running.values()][0];
    },
    abandon(): void {
      for (const { owner } of running.values()) owner.isDead = true;
    },
  };
}
