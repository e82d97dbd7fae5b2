import { readdirSync, readFileSync } from 'node:fs';

/** Command lines of the processes of this machine, with a space between the arguments. Only Linux shows them as files. */
export function runningProcesses(): { pid: number; command: string }[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
      return command === '' ? [] : [{ pid: Number(pid), command }];
    } catch {
      // The process has ended meanwhile.
      return [];
    }
  });
}
