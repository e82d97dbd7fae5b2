import { sleep } from 'base/sleep';
import type { Checkout } from '../git/checkout.ts';
import { runCommand } from '../run-command.ts';
import type { RunContext, StepTools } from '../run-context.ts';
import type { RunEnd } from '../run-end.ts';
import { setupKey } from './setup-cache.ts';

type SetupRequest = {
  checkouts: readonly Checkout[];
  variables: Record<string, string>;
  cwd: string;
  /** Whether the checkout equals the repository, without earlier changes. */
  isPristine: boolean;
};

/**
 * Runs the setup commands, or restores what they made from the same commits before. Returns the end of the run if they
 * failed.
 */
export async function setUp(
  tools: StepTools,
  context: RunContext,
  request: SetupRequest,
): Promise<RunEnd | undefined> {
  const { environment, signal, run, folder } = context;
  if (!environment.setup?.length) return undefined;
  const isCached = request.isPristine && environment.cache_setup !== false;
  if (!isCached) return runAll(tools, context, request);
  const place = { runId: run.id, environment, folder, signal };
  const key = keyOf(tools, context, request);
  const restore = async () => {
    if (!(await tools.setups.restore(key, place))) return false;
    await tools.note(run.id, 'Reused the setup of an earlier run');
    return true;
  };
  if (await restore()) return undefined;

  let turnIs: 'waiting' | 'started' | 'given up' = 'waiting';
  const turn = tools.setups.withLock(key, async () => {
    if (turnIs === 'given up' || signal.aborted) return undefined;
    turnIs = 'started';
    if (await restore()) return undefined;
    const failure = await runAll(tools, context, request);
    if (failure || signal.aborted) return failure;
    await tools.note(run.id, await tools.setups.save(key, place));
    return undefined;
  });
  // A run that waits for the setup of another run can be canceled, and has a time limit.
  const given = new AbortController();
  const { expired } = context.clock;
  const giveUp = sleep(2 ** 31 - 1, AbortSignal.any([signal, expired, given.signal]));
  await Promise.race([turn, giveUp]);
  given.abort();
  if (hasStarted(turnIs)) return turn;
  turnIs = 'given up';
  return runAll(tools, context, request);
}

/** A function, because TypeScript doesn't see that the callback changes the variable. */
const hasStarted = (turn: string) => turn === 'started';

async function runAll(
  tools: StepTools,
  context: RunContext,
  { variables, cwd }: SetupRequest,
): Promise<RunEnd | undefined> {
  for (const argv of context.environment.setup ?? []) {
    const what = `The setup command "${argv[0]}"`;
    const failure = await runCommand(tools, context, { what, argv, variables, cwd, input: '' });
    if (failure) return failure;
  }
  return undefined;
}

/** Includes secrets, because setup commands can write them to files. */
function keyOf(
  tools: StepTools,
  { environment, secrets }: RunContext,
  { checkouts }: SetupRequest,
) {
  const { setup, variables, container, isolation, read_only, writable } = environment;
  const sandbox = [isolation, container, read_only, writable];
  const commits = checkouts.map(({ folder, base }) => [folder, base]);
  const machine = [process.platform, process.arch, tools.path];
  return setupKey([1, setup, commits, variables, secrets, sandbox, machine]);
}
