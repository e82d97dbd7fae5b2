/**
 * Runs seeds: `npm run simulate -- --seeds 10000` uses two processes and shrinks the first seed that fails. `--seed N`
 * runs one seed, with its log. See trials/README.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { createRandom } from '../random.ts';
import { createAutomationsDatabase } from './automations/automations-database.ts';
import { describeAutomationsPlan, makeAutomationsPlan } from './automations/automations-plan.ts';
import { simulateAutomations } from './automations/simulate-automations.ts';
import { describePlan } from './describe-plan.ts';
import { makePlan } from './plan.ts';
import { createSharedDatabase } from './shared-database.ts';
import { shrink } from './shrink.ts';
import { type SeedResult, simulate } from './simulate-seed.ts';
import { simulateSpending } from './spending/simulate-spending.ts';
import { createSpendingDatabase } from './spending/spending-database.ts';
import { describeSpendingPlan, makeSpendingPlan } from './spending/spending-plan.ts';
import { installVirtualTime } from './virtual-time.ts';

const { values: given } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '500' },
    from: { type: 'string', default: '1' },
    step: { type: 'string', default: '1' },
    processes: { type: 'string', default: String(availableParallelism()) },
    worker: { type: 'boolean', default: false },
    'stop-at-first': { type: 'boolean', default: false },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);

/** A worker's result of a seed. */
type SeedLine = Pick<SeedResult, 'hash' | 'findings' | 'endedMs'> & { seed: number; cpuMs: number };

const planOf = (seed: number) => makePlan(seed, createRandom(seed));

async function openWorld() {
  const database = await createSharedDatabase();
  const spending = await createSpendingDatabase();
  const automations = await createAutomationsDatabase();
  return { database, spending, automations, time: installVirtualTime() };
}
type OpenWorld = Awaited<ReturnType<typeof openWorld>>;

const spendingPlanOf = (seed: number) => makeSpendingPlan(seed, createRandom(seed + 500_009));

const automationsPlanOf = (seed: number) => makeAutomationsPlan(seed, createRandom(seed + 900_001));

/** Simulates the bot, spending at the runs service, and automations. They share nothing but the seed. */
async function simulateAll(seed: number, world: OpenWorld): Promise<Omit<SeedLine, 'cpuMs'>> {
  const { time, spending, automations } = world;
  const results = [
    await simulate(planOf(seed), world),
    await simulateSpending(spendingPlanOf(seed), { time, database: spending }),
    await simulateAutomations(automationsPlanOf(seed), { time, database: automations }),
  ];
  return {
    seed,
    hash: results.map(({ hash }) => hash.slice(0, 6)).join(''),
    findings: results.flatMap(({ findings }) => findings),
    endedMs: results.reduce((sum, { endedMs }) => sum + endedMs, 0),
  };
}

async function work(): Promise<void> {
  const world = await openWorld();
  const [from, step, last] = [Number(given.from), Number(given.step), Number(given.seeds)];
  for (let seed = from; seed <= last; seed += step) {
    const before = process.cpuUsage();
    const result = await simulateAll(seed, world);
    const { user } = process.cpuUsage(before);
    say(JSON.stringify({ ...result, cpuMs: user / 1_000 } satisfies SeedLine));
  }
}

/**
 * Runs all seeds.
 * @returns true if every promise was kept
 */
async function runMany(): Promise<boolean> {
  const first = Number(given.from);
  const last = first + Number(given.seeds) - 1;
  const processes = Math.min(Number(given.processes), Number(given.seeds));
  const results: SeedLine[] = [];
  const beganAt = performance.now();
  const workers = Array.from({ length: processes }, (_, index) => {
    const options = { from: first + index, step: processes, seeds: last };
    const named = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    const flags = ['--max-semi-space-size=64', ...process.argv.slice(1, 2)];
    return spawn(process.execPath, [...flags, '--worker', ...named], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  });
  const readAll = async (worker: ChildProcess & { stdout: NodeJS.ReadableStream }) => {
    const ended = once(worker, 'exit');
    for await (const line of createInterface({ input: worker.stdout })) {
      const result: SeedLine = JSON.parse(line);
      results.push(result);
      for (const { promise, about } of result.findings)
        say(`seed ${result.seed} breaks "${promise}": ${about}`);
      if (result.findings.length > 0 && given['stop-at-first'])
        for (const each of workers) each.kill();
    }
    const [code] = await ended;
    return code;
  };
  const codes = await Promise.all(workers.map(readAll));
  const failed = results.filter(({ findings }) => findings.length > 0);
  const isWhole = results.length === last - first + 1 && codes.every((code) => code === 0);
  const seconds = (performance.now() - beganAt) / 1_000;
  const average = (of: (line: SeedLine) => number) =>
    results.reduce((sum, each) => sum + of(each), 0) / Math.max(1, results.length);
  say(
    `${results.length} seeds, ${failed.length} fail; ${seconds.toFixed(0)} s, ${average((each) => each.cpuMs).toFixed(0)} ms of user time and ${(average((each) => each.endedMs) / 1_000).toFixed(0)} virtual seconds a seed`,
  );
  const worst = failed.toSorted((one, other) => one.seed - other.seed)[0];
  if (worst && !given['stop-at-first']) await explain(worst.seed);
  else if (!isWhole && failed.length === 0) say('a worker ended early');
  return failed.length === 0 && isWhole;
}

/**
 * Shrinks a seed and shows the rest.
 * @returns true if every promise was kept
 */
async function explain(seed: number): Promise<boolean> {
  const world = await openWorld();
  const plan = planOf(seed);
  const result = await simulate(plan, world);
  if (result.findings.length === 0) {
    const { time, spending, automations } = world;
    const isKept =
      (await explainPart(
        spendingPlanOf(seed),
        (each) => simulateSpending(each, { time, database: spending }),
        describeSpendingPlan,
      )) &&
      (await explainPart(
        automationsPlanOf(seed),
        (each) => simulateAutomations(each, { time, database: automations }),
        describeAutomationsPlan,
      ));
    if (isKept) for (const line of ['', ...describePlan(plan), ...result.log]) say(line);
    return isKept;
  }
  const smallest = await shrink(plan, result, (each) => simulate(each, world));
  say(`\nThe smallest plan of seed ${seed} that still fails:`);
  for (const line of [...describePlan(smallest.plan), '', ...smallest.result.log]) say(line);
  for (const { promise, about } of smallest.result.findings) say(`breaks "${promise}": ${about}`);
  return false;
}

/**
 * Shows a part of a seed, without the faults that change nothing.
 * @returns true if every promise was kept
 */
async function explainPart<Plan extends { seed: number; faults: unknown[] }>(
  whole: Plan,
  run: (plan: Plan) => Promise<SeedResult>,
  describe: (plan: Plan) => string[],
): Promise<boolean> {
  let plan = whole;
  let result = await run(plan);
  const hasFailed = result.findings.length > 0;
  for (const fault of hasFailed ? plan.faults : []) {
    const smaller = { ...plan, faults: plan.faults.filter((each) => each !== fault) };
    const tried = await run(smaller);
    if (tried.findings.length === 0) continue;
    plan = smaller;
    result = tried;
  }
  for (const line of [...describe(plan), '', ...result.log]) say(line);
  for (const { promise, about } of result.findings) say(`breaks "${promise}": ${about}`);
  if (!hasFailed) say(`seed ${whole.seed} keeps every promise (${result.hash})`);
  return !hasFailed;
}

if (given.worker) await work();
else {
  const isKept = given.seed === undefined ? await runMany() : await explain(Number(given.seed));
  process.exitCode = isKept ? 0 : 1;
}
