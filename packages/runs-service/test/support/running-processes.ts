import { readdirSync, readFileSync } from 'node:fs';

/** Lists this machine's processes with their command lines, with a space between arguments. Works on Linux only. */
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
