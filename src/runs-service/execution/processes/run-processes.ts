import { readdir, readFile } from 'node:fs/promises';

/**
 * Kills every process that carries one of these runs in its environment (AGENT_RUN_ID), also those that left the run's
 * process group or outlived the service. Reads /proc, so it finds nothing outside Linux; there the group must do.
 */
export async function killRunProcesses(runIds: ReadonlySet<string>): Promise<number> {
  if (runIds.size === 0) return 0;
  let killed = 0;
  const entries = await readdir('/proc').catch(() => []);
  for (const pid of entries.filter((entry) => /^\d+$/.test(entry)).map(Number)) {
    if (pid === process.pid) continue;
    const variables = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    const marker = /(?:^|\0)AGENT_RUN_ID=([^\0]*)/.exec(variables)?.[1];
    if (marker === undefined || !runIds.has(marker)) continue;
    try {
      process.kill(pid, 'SIGKILL');
      killed += 1;
    } catch {
      // It ended by itself between the look and the kill.
    }
  }
  return killed;
}
