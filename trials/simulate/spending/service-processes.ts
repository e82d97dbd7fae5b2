import type { Logger } from 'base/logger';
import { CallLeases } from 'runs-service/gateway/call-leases';
import { createHold } from 'runs-service/gateway/hold';
import { createCallRows } from 'runs-service/gateway/settle-call';
import { createSpendQuestionWatch } from 'runs-service/gateway/spend-question-watch';
import { createModelCalls } from 'runs-service/store/model-calls';
import { createRunLeases } from 'runs-service/store/run-leases';
import { createRuns } from 'runs-service/store/runs';
import { createSpendQuestions } from 'runs-service/store/spend-questions';
import type { Owner, Scheduler } from '../scheduler.ts';
import { type Agent, startAgent } from './agent.ts';
import type { SpendingDatabase } from './spending-database.ts';
import type { SpendingFault } from './spending-plan.ts';

/** Time that people have to answer a question about spending, in ms. */
const questionMs = 30_000;
/** Duration of a run's lease, in ms. Nothing renews it, because only a restarted process takes runs over. */
const runLeaseMs = 1e9;

type AtStep = Exclude<SpendingFault, { type: 'clock' }>;
type Service = { index: number; starts: number; steps: number; skewMs: number };

export type ServiceDeps = {
  scheduler: Scheduler;
  database: SpendingDatabase;
  faults: readonly SpendingFault[];
  agents: readonly Agent[];
  logger: Logger;
  log(line: string): void;
};

/** Simulates runs services that share a database. A crash loses everything in a process's memory. */
export function createServices({ scheduler, database, faults, agents, logger, log }: ServiceDeps) {
  const atSteps = faults.filter((fault): fault is AtStep => 'atStep' in fault);
  const owners: Owner[] = [];

  function start(service: Service, crashed?: { owner: Owner; isNoticed: boolean }): void {
    service.starts += 1;
    const owner: Owner = {
      name: `service ${service.index + 1}.${service.starts}`,
      skewMs: service.skewMs,
      frozenUntil: 0,
      isDead: false,
      steps: 0,
      afterStep: () => afterStep(service, owner),
    };
    owners.push(owner);
    for (const fault of faults)
      if (fault.type === 'clock' && fault.service === service.index)
        scheduler.in(fault.atMs - scheduler.sinceStartMs, owner, () => {
          owner.skewMs = service.skewMs = fault.byMs;
        });
    scheduler.in(1, owner, () => {
      log(`${owner.name} starts`);
      void run(service, owner, crashed);
    });
  }

  function afterStep(service: Service, owner: Owner): void {
    service.steps += 1;
    for (const fault of atSteps) {
      if (fault.service !== service.index || fault.atStep !== service.steps) continue;
      log(`${owner.name}: ${fault.type}`);
      if (fault.type === 'freeze') owner.frozenUntil = scheduler.nowMs + fault.ms;
      else {
        owner.isDead = true;
        scheduler.in(fault.downMs, undefined, () => start(service, { ...fault, owner }));
      }
    }
  }

  async function run(
    { index }: Service,
    owner: Owner,
    crashed: { owner: Owner; isNoticed: boolean } | undefined,
  ): Promise<void> {
    const db = database.open();
    const calls = createModelCalls(db);
    const questions = createSpendQuestions(db);
    const callLeases = new CallLeases(calls, owner.name, () => undefined, logger);
    const { signal: stopping } = new AbortController();
    const rows = createCallRows({
      calls,
      owner: owner.name,
      leases: callLeases,
      stopping,
      logger,
    });
    const hold = createHold({ questions, questionMs, logger });
    callLeases.start(crashed?.isNoticed ? crashed.owner.name : undefined);
    createSpendQuestionWatch({ questions, statesOf: calls.statesOf, logger }).start();
    const runs = createRuns(db);
    const runLeases = createRunLeases(db);
    if (crashed) await runLeases.expire(crashed.owner.name);
    for (const agent of agents.filter((_, number) => number % services.length === index)) {
      const stored = await runs.get(agent.runId);
      if (!stored || stored.ended_at !== null) continue;
      const lease = { owner: owner.name, forMs: runLeaseMs };
      if (!(await runLeases.takeOver(stored, lease, 'Restarted'))) continue;
      startAgent(agent, { owner: owner.name, rows, hold, runs, scheduler, log });
    }
  }

  const services: Service[] = [];
  return {
    startAll(count: number): void {
      for (let index = 0; index < count; index += 1)
        services.push({ index, starts: 0, steps: 0, skewMs: 0 });
      for (const service of services) start(service);
    },
    /** Drops all processes, of which nothing runs anymore. */
    abandon(): void {
      for (const owner of owners) owner.isDead = true;
    },
  };
}
