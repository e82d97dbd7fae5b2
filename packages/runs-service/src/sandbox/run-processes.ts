import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { sleep } from 'base/sleep';

/** Reading that many takes about a millisecond, and requests wait for it. */
const pidsAtOnce = 50;
/** A process can start another one while others are read. */
const maxScans = 10;
/** Times as long as the look before. */
const pauseFactor = 3;

/**
 * Kills every process of a run, including those that left the process group or outlived the service. Finds them by
 * AGENT_RUN_ID in /proc, which only Linux has. On other systems only the group is killed.
 */
export type KillRunProcesses = (runId: string) => Promise<void>;

/**
 * Looks through all processes of the machine. A thousand agents have thousands of them, and several runs end each second,
 * so one look is for all that asked before it began, and pauses keep looks to a quarter of the time.
 */
export function createRunProcesses(): KillRunProcesses {
  let pause = Promise.resolve();
  let next: { runIds: Set<string>; done: Promise<void> } | undefined;

  function scanAfter(before: Promise<void>) {
    const runIds = new Set<string>();
    const scanned = before.then(async () => {
      next = undefined;
      const beganAt = performance.now();
      for (let look = 0; look < maxScans && (await killAll(runIds)); look += 1);
      return performance.now() - beganAt;
    });
    pause = scanned.then((tookMs) => sleep(pauseFactor * tookMs));
    return { runIds, done: scanned.then(() => undefined) };
  }

  return (runId) => {
    next ??= scanAfter(pause);
    next.runIds.add(runId);
    return next.done;
  };
}

/** @returns whether there were any */
async function killAll(runIds: ReadonlySet<string>): Promise<boolean> {
  let found = false;
  for (const [index, pid] of listPids().entries()) {
    if (index % pidsAtOnce === pidsAtOnce - 1) await setImmediate();
    if (pid === process.pid || !marksRun(readVariables(pid), runIds)) continue;
    found = true;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended meanwhile.
    }
  }
  return found;
}

function listPids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Synchronous reads take a quarter of the CPU time: the kernel has the answer in memory. */
function readVariables(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    // The process has ended meanwhile, or belongs to another user.
    return '';
  }
}

/**
 * Returns true if a process with these variables belongs to one of the runs. Most processes of the machine belong to no
 * run, so a missing or empty ID never matches.
 * @param variables as in /proc/<pid>/environ
 */
export function marksRun(variables: string, runIds: ReadonlySet<string>): boolean {
  const runId = /(?:^|\0)AGENT_RUN_ID=([^\0]*)/.exec(variables)?.[1];
  return !!runId && runIds.has(runId);
}
