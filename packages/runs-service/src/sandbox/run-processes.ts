import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { sleep } from 'base/sleep';

/** Number of processes to read before the service handles other work. Reading them takes about a millisecond. */
const pidsAtOnce = 50;
/** Max scans for the same runs, because a process can start another one during a scan. */
const maxScans = 10;
/** Length of the pause after a scan, as a multiple of the scan's duration. */
const pauseFactor = 3;

/**
 * Function that kills every process of a run, including those that left the process group or outlived the service. It
 * finds them by AGENT_RUN_ID in /proc, which only Linux has. On other systems only the group is killed.
 */
export type KillRunProcesses = (runId: string) => Promise<void>;

/**
 * Creates the function that kills runs' processes. One scan of the machine serves all runs that ended before the scan
 * began. Separate scans would be slow, because a thousand agents have thousands of processes. Pauses limit scans to a
 * quarter of the time.
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

/** Kills the processes of these runs. @returns true if there were any */
async function killAll(runIds: ReadonlySet<string>): Promise<boolean> {
  let found = false;
  for (const [index, pid] of listPids().entries()) {
    if (index % pidsAtOnce === pidsAtOnce - 1) await setImmediate();
    if (pid === process.pid || !marksRun(readVariables(pid), runIds)) continue;
    found = true;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Ignore the error, because the process has ended meanwhile.
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

/**
 * Reads a process's variables. A synchronous read takes a quarter of an asynchronous read's CPU time, because the
 * kernel has the content in memory.
 */
function readVariables(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    // Return no variables, because the process has ended or belongs to another user.
    return '';
  }
}

/**
 * Returns true if a process with these variables belongs to one of the runs. Most processes of the machine belong to no
 * run, so a missing or empty ID never matches.
 * @param variables content of /proc/<pid>/environ
 */
export function marksRun(variables: string, runIds: ReadonlySet<string>): boolean {
  const runId = /(?:^|\0)AGENT_RUN_ID=([^\0]*)/.exec(variables)?.[1];
  return !!runId && runIds.has(runId);
}
