import { readdir, readFile } from 'node:fs/promises';

/**
 * Kills every process of these runs, including those that left the process group or outlived the service. Finds them by
 * AGENT_RUN_ID in /proc, so only on Linux; elsewhere only the group is killed. Returns how many it killed.
 */
export async function killRunProcesses(runIds: ReadonlySet<string>): Promise<number> {
  if (runIds.size === 0) return 0;
  let killed = 0;
  const entries = await readdir('/proc').catch(() => []);
  for (const pid of entries.filter((entry) => /^\d+$/.test(entry)).map(Number)) {
    if (pid === process.pid) continue;
    const variables = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    const runId = /(?:^|\0)AGENT_RUN_ID=([^\0]*)/.exec(variables)?.[1];
    if (runId === undefined || !runIds.has(runId)) continue;
    try {
      process.kill(pid, 'SIGKILL');
      killed += 1;
    } catch {
      // It ended in the meantime.
    }
  }
  return killed;
}
