import { sleep } from 'base/sleep';
import type { Checkout } from '../git/checkout.ts';
import { runCommand } from '../run-command.ts';
import type { RunContext, StepDeps } from '../run-context.ts';
import type { RunEnd } from '../run-end.ts';
import { setupKey } from './setup-cache.ts';

type Deps = Pick<StepDeps, 'store' | 'machine' | 'limits'>;

type SetupRequest = {
  checkouts: readonly Checkout[];
  variables: Record<string, string>;
  cwd: string;
  /** True if the checkout equals the repository, without changes of earlier runs. */
  isPristine: boolean;
};

/**
 * Runs the setup commands, or restores the result of an earlier setup with the same cache key. Returns the failed end
 * of the run if a command failed.
 */
export async function setUp(
  deps: Deps,
  context: RunContext,
  request: SetupRequest,
): Promise<RunEnd | undefined> {
  const { environment, signal, run, folder } = context;
  if (!environment.setup?.length) return undefined;
  const isCached = request.isPristine && environment.cache_setup !== false;
  if (!isCached) return runAll(deps, context, request);
  const target = { runId: run.id, environment, folder, signal };
  const key = keyOf(deps, context, request);
  const restore = async () => {
    if (!(await deps.machine.setups.restore(key, target))) return false;
    await deps.store.note(run.id, 'Reused the setup of an earlier run');
    return true;
  };
  if (await restore()) return undefined;

  let turnIs: 'waiting' | 'started' | 'given up' = 'waiting';
  const turn = deps.machine.setups.withLock(key, async () => {
    if (turnIs === 'given up' || signal.aborted) return undefined;
    turnIs = 'started';
    if (await restore()) return undefined;
    const failure = await runAll(deps, context, request);
    if (failure || signal.aborted) return failure;
    await deps.store.note(run.id, await deps.machine.setups.save(key, target));
    return undefined;
  });
  // Stop waiting for another run's setup if the run is canceled or reaches its time limit.
  const decided = new AbortController();
  const { expired } = context.clock;
  const giveUp = sleep(2 ** 31 - 1, AbortSignal.any([signal, expired, decided.signal]));
  await Promise.race([turn, giveUp]);
  decided.abort();
  if (hasStarted(turnIs)) return turn;
  turnIs = 'given up';
  return runAll(deps, context, request);
}

/**
 * Returns true once the setup has started. This is a function, because TypeScript doesn't see that the callback changes
 * the variable.
 */
const hasStarted = (turn: string) => turn === 'started';

async function runAll(
  deps: Deps,
  context: RunContext,
  { variables, cwd }: SetupRequest,
): Promise<RunEnd | undefined> {
  for (const argv of context.environment.setup ?? []) {
    const what = `The setup command "${argv[0]}"`;
    const failure = await runCommand(deps, context, { what, argv, variables, cwd, input: '' });
    if (failure) return failure;
  }
  return undefined;
}

/** Returns the cache key of a setup. The key includes secrets, because setup commands can write them to files. */
function keyOf(deps: Deps, { environment, secrets }: RunContext, { checkouts }: SetupRequest) {
  const { setup, variables, container, isolation, read_only, writable } = environment;
  const sandbox = [isolation, container, read_only, writable];
  const commits = checkouts.map(({ folder, base }) => [folder, base]);
  const machine = [process.platform, process.arch, deps.machine.path];
  return setupKey([1, setup, commits, variables, secrets, sandbox, machine]);
}
