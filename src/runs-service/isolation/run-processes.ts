import { readdir, readFile } from 'node:fs/promises';

/**
 * Kills every process of a run, including those that left the process group or outlived the service. Finds them by
 * AGENT_RUN_ID in /proc, so only on Linux; elsewhere only the group is killed.
 */
export async function killRunProcesses(runId: string): Promise<void> {
  const entries = await readdir('/proc').catch(() => []);
  for (const pid of entries.filter((entry) => /^\d+$/.test(entry)).map(Number)) {
    if (pid === process.pid) continue;
    const variables = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    const found = /(?:^|\0)AGENT_RUN_ID=([^\0]*)/.exec(variables)?.[1];
    if (found !== runId) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended in the meantime.
    }
  }
}
