import { sleep } from '../../../lib/sleep.ts';
import type { Checkout } from '../git/checkout.ts';
import { type Going, runCommand, type StepTools } from '../run-command.ts';
import type { RunEnd } from '../run-end.ts';
import { setUpKey } from './set-up-cache.ts';

export type SetUpRequest = {
  checkouts: readonly Checkout[];
  variables: Record<string, string>;
  cwd: string;
  /** Whether the checkout is just as it is in the repository. */
  isPristine: boolean;
};

/** Prepares the checkout, or takes what the same commands made of the same commits before; gives the end of a run if it failed. */
export async function setUp(
  tools: StepTools,
  going: Going,
  request: SetUpRequest,
): Promise<RunEnd | undefined> {
  const { environment, signal, run, workDir } = going;
  if (!environment.setup?.length) return undefined;
  const isKept = request.isPristine && environment.cache_setup !== false;
  if (!isKept) return runAll(tools, going, request);
  const scratchDir = tools.files.observerDir(run.id);
  const place = { runId: run.id, workDir, scratchDir, signal };
  const key = keyOf(tools, going, request);
  const restored = async () => {
    if (!(await tools.setUps.restore(key, place))) return false;
    await tools.note(run.id, 'The set-up was taken from an earlier run');
    return true;
  };
  if (await restored()) return undefined;

  let turnIs: 'awaited' | 'begun' | 'given up' = 'awaited';
  const turn = tools.setUps.inTurn(key, async () => {
    if (turnIs === 'given up' || signal.aborted) return undefined;
    turnIs = 'begun';
    if (await restored()) return undefined;
    const failure = await runAll(tools, going, request);
    if (failure || signal.aborted) return failure;
    await tools.note(run.id, await tools.setUps.keep(key, place));
    return undefined;
  });
  // Whoever waits for another run's set-up can be cancelled, and its time is limited.
  const impatient = sleep(Math.max(1, going.deadlineMs - Date.now()), signal);
  await Promise.race([turn, impatient]);
  if (hasBegun(turnIs)) return turn;
  turnIs = 'given up';
  return runAll(tools, going, request);
}

/** A turn that has begun ends by itself, within the run's limits. */
const hasBegun = (turn: string) => turn === 'begun';

async function runAll(
  tools: StepTools,
  going: Going,
  { variables, cwd }: SetUpRequest,
): Promise<RunEnd | undefined> {
  for (const argv of going.environment.setup ?? []) {
    const what = `The set-up command "${argv[0]}"`;
    const failure = await runCommand(tools, going, { what, argv, variables, cwd, input: '' });
    if (failure) return failure;
  }
  return undefined;
}

/** Secrets are in it as well, since a set-up may write them down; the key is a hash of it all. */
function keyOf(tools: StepTools, { environment, secrets }: Going, { checkouts }: SetUpRequest) {
  const { setup, variables, container, user } = environment;
  const commits = checkouts.map(({ folder, base }) => [folder, base]);
  const machine = [process.platform, process.arch, tools.path];
  return setUpKey([1, setup, commits, variables, secrets, container, user, machine]);
}
