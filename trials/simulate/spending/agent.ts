import { randomUUID } from 'node:crypto';
import { sleep } from 'base/sleep';
import type { CheckedCall } from 'runs-service/gateway/call';
import type { Hold } from 'runs-service/gateway/hold';
import { reserveCall } from 'runs-service/gateway/reserve-call';
import type { CallRows } from 'runs-service/gateway/settle-call';
import { activeStates, type Runs } from 'runs-service/store/runs';
import type { SpendCap } from 'runs-service/store/spend-cap';
import type { Scheduler } from '../scheduler.ts';
import type { CallPlan, SpendingRun } from './spending-plan.ts';

/** A call that reached its provider, and what the provider bills for it. */
export type BilledCall = { id: string; runId: string; plan: CallPlan; isSettled: boolean };

/** An agent and its run. It continues in another process after a crash, with the calls that it hasn't made. */
export type Agent = {
  runId: string;
  plan: SpendingRun;
  caps: SpendCap[];
  spendKeys: string[];
  /** Number of calls that each lane has made. */
  made: number[];
  billed: BilledCall[];
};

type AgentDeps = {
  owner: string;
  rows: CallRows;
  hold: Hold;
  runs: Pick<Runs, 'change'>;
  scheduler: Scheduler;
  log(line: string): void;
};

/** Agents send a rejected call again this often, although the rejection says that it doesn't help. */
const mostTries = 3;

/** Makes the calls of a run, and ends the run. */
export function startAgent(agent: Agent, deps: AgentDeps): void {
  const { plan, runId, made } = agent;
  const work = async () => {
    await sleep(Math.max(1, plan.startMs - deps.scheduler.sinceStartMs));
    const ends = await Promise.all(
      plan.lanes.map(async (calls, lane) => {
        for (let next = made[lane] ?? 0; next < calls.length; next += 1) {
          made[lane] = next + 1;
          const call = calls[next];
          if (call && !(await makeCall(agent, call, deps))) return false;
        }
        return true;
      }),
    );
    const state = ends.every(Boolean) ? 'SUCCEEDED' : 'FAILED';
    const end = { state, ended_at: Date.now() };
    const ended = await deps.runs.change(runId, activeStates, end, deps.owner);
    deps.log(`${runId} ${ended ? `is ${state}` : 'has another process'}`);
  };
  void work();
}

/** Returns false if the call was rejected, so that the agent gives up. */
async function makeCall(agent: Agent, plan: CallPlan, deps: AgentDeps): Promise<boolean> {
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const id = randomUUID();
    const reserved = await reserveCall(checkedCall(agent), newRow(id, agent, plan, deps), {
      ...deps,
      holdBody: () => true,
    });
    if (reserved === 'reserved') {
      await send(id, agent, plan, deps);
      return true;
    }
    deps.log(`${agent.runId}: ${reserved === 'gone' ? 'gone' : reserved.rejection.message}`);
    await sleep(200);
  }
  return false;
}

async function send(
  id: string,
  { runId, billed }: Agent,
  plan: CallPlan,
  { rows, log }: AgentDeps,
) {
  const call = { id, runId, plan, isSettled: false };
  if (plan.end !== 'rejected') billed.push(call);
  log(`${runId} sends ${id.slice(0, 8)}, which costs ${plan.priceMicros} (${plan.end})`);
  await sleep(plan.ms);
  if (plan.end === 'rejected') await rows.release(id, { status: 529, outcome: 'provider_error' });
  else
    await rows.settle(id, {
      outcome: plan.end === 'cut' ? 'cut' : 'completed',
      status: 200,
      servedModel: 'model',
      usage: undefined,
      priceMicros: plan.end === 'unreported' ? undefined : reportedPrice(plan),
      priceEntry: undefined,
      isEstimated: plan.end !== 'completed',
      firstByteAt: undefined,
      responseBytes: 1,
      upstreamId: undefined,
    });
  call.isSettled = true;
}

/** A cut response has reported only a part of what it costs. */
const reportedPrice = ({ end, priceMicros }: CallPlan) =>
  end === 'cut' ? Math.floor(priceMicros / 2) : priceMicros;

/** Returns the members of a call that reserving needs. */
function checkedCall({ runId, caps }: Agent): CheckedCall {
  const { signal } = new AbortController();
  const access = {
    runId,
    caps,
    clock: { pause: () => undefined, resume: () => undefined },
    onStopped: () => undefined,
    signal,
  };
  const call = { access, provider: { api: 'anthropic' }, early: { late: signal }, signal };
  return call as unknown as CheckedCall;
}

const newRow = (id: string, agent: Agent, plan: CallPlan, { owner }: AgentDeps) => ({
  id,
  runId: agent.runId,
  environmentId: 'simulated',
  labels: { workspace: 'T1', person: 'U1', channel: 'C1' },
  spendKeys: agent.spendKeys,
  provider: 'anthropic',
  api: 'anthropic',
  model: 'model',
  requestBytes: 1,
  estimateMicros: plan.estimateMicros,
  owner,
  leaseMs: 60_000,
});
