/** Memory and processor time of processes, from `/proc`. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { Loop } from 'base/time/loop';
import type { ProcessUsage } from './result.ts';

/** Usage of one process without its children, or of PostgreSQL with its connections. */
export type Usage = { cpuSeconds: number; residentBytes: number };

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK']).toString());
const pageBytes = Number(execFileSync('getconf', ['PAGESIZE']).toString());

/** Reads a process's usage. Undefined for a process that has ended. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function readStat(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const field = (number: number) => Number(fields[number - 3]);
    const own = field(14) + field(15);
    return { parent: field(4), own, ended: field(16) + field(17) };
  } catch {
    return undefined;
  }
}

/** Reads the usage of one process without its children. */
export function usageOf(pid: number): Usage {
  return {
    cpuSeconds: (readStat(pid)?.own ?? 0) / ticksPerSecond,
    residentBytes: readMemory(pid).all,
  };
}

/** Reads PostgreSQL's usage with all its connections, also ended ones. Shared memory is included once. */
export function usageOfServer(pid: number): Usage {
  const server = readStat(pid);
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((each) => readStat(each)?.parent === pid);
  const memory = [pid, ...pids].map(readMemory);
  const ticks = [server?.own, server?.ended, ...pids.map((each) => readStat(each)?.own)];
  return {
    cpuSeconds: sum(ticks.map((each) => each ?? 0)) / ticksPerSecond,
    residentBytes:
      sum(memory.map(({ all, shared }) => all - shared)) +
      Math.max(...memory.map(({ shared }) => shared)),
  };
}

function readMemory(pid: number) {
  try {
    const [, all = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8')
      .split(' ')
      .map(Number);
    return { all: all * pageBytes, shared: shared * pageBytes };
  } catch {
    return { all: 0, shared: 0 };
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const busiestSamples = 30;

/** Samples usage every second until it's stopped. */
export function watchUsage(readers: Readonly<Record<string, () => Usage>>) {
  const samples: { at: number; usages: Usage[] }[] = [];
  const take = () =>
    samples.push({
      at: performance.now(),
      usages: Object.values(readers).map((read) => read()),
    });
  const sampling = new Loop(async () => {
    take();
    return 1_000;
  });
  sampling.start();
  return {
    /** Returns the cores used in the busiest half minute, and the highest memory. */
    async stop(): Promise<ProcessUsage[]> {
      await sampling.stop();
      take();
      return Object.keys(readers).map((name, index) => ({
        name,
        cores: busiest(
          samples.map(({ at, usages }) => ({ at, used: usages[index]?.cpuSeconds ?? 0 })),
        ),
        mebibytes:
          Math.max(...samples.map(({ usages }) => usages[index]?.residentBytes ?? 0)) / 2 ** 20,
      }));
    },
  };
}

function busiest(samples: readonly { at: number; used: number }[]): number {
  const last = samples.length - 1;
  const apart = Math.min(busiestSamples, last);
  const rates = samples.slice(apart).map((to, index) => {
    const from = samples[index] ?? to;
    return ((to.used - from.used) * 1_000) / (to.at - from.at);
  });
  return Math.max(...rates);
}
