import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sleep } from 'base/sleep';
import type { ServiceEnvironment } from '../environments/environments.ts';

export type Limits = NonNullable<ServiceEnvironment['limits']>;

const mebibyte = 1024 * 1024;

/** The programs that set limits, from util-linux. */
export const limitPrograms = ({ cpus, ...others }: Limits): string[] => [
  ...(cpus === undefined ? [] : ['taskset']),
  ...(Object.keys(others).length === 0 ? [] : ['prlimit']),
];

/**
 * Returns the arguments before a command that limit it. Processes are counted per run, because each run has its own
 * user namespace. Memory is the writable memory of each process, because programs reserve far more address space than
 * they use.
 */
export function limitArguments(limits: Limits | undefined): string[] {
  if (!limits) return [];
  const { memory_mb: memory, processes, cpus, disk_mb: disk } = limits;
  const options = [
    ...(memory === undefined ? [] : [`--data=${memory * mebibyte}`]),
    ...(processes === undefined ? [] : [`--nproc=${processes}`]),
    ...(disk === undefined ? [] : [`--fsize=${disk * mebibyte}`]),
  ];
  return [
    ...(cpus === undefined ? [] : ['taskset', '--cpu-list', `0-${cpus - 1}`]),
    ...(options.length === 0 ? [] : ['prlimit', '--core=0', ...options, '--']),
  ];
}

/** Place for groups that limit a command with all processes that it starts. */
export type Cgroups = {
  folder: string;
  /** Limits that groups have there. */
  limits: readonly (keyof Limits)[];
};

type System = {
  /** Content of `/proc/self/cgroup`. */
  own: string;
  /** Folder where the hierarchies are mounted. */
  root: string;
};

const cgroupFiles = {
  memory_mb: { name: 'memory.max', value: (mb: number) => String(mb * 1024 * 1024) },
  processes: { name: 'pids.max', value: String },
  cpus: { name: 'cpu.max', value: (cpus: number) => `${cpus * 100_000} 100000` },
} as const;
type CgroupFile = keyof typeof cgroupFiles;

const thisSystem = (): System => ({
  own: readFileSync('/proc/self/cgroup', 'utf8'),
  root: '/sys/fs/cgroup',
});

/**
 * Version 2 in a part of the tree that belongs to the service: its own group, or the unit around it
 * (https://systemd.io/CGROUP_DELEGATION). Of version 1 only the number of processes, which nothing else limits for root.
 */
export function findCgroups(system?: System): Cgroups | undefined {
  try {
    const { own, root } = system ?? thisSystem();
    const pathIn = (hierarchy: string) =>
      new RegExp(`^\\d+:${hierarchy}:(.*)$`, 'm').exec(own)?.[1];
    const [unified, pids] = [pathIn(''), pathIn('pids')];
    if (pids !== undefined) return usable(join(root, 'pids', pids), ['processes']);
    if (unified === undefined) return undefined;
    const folder = join(root, unified);
    const unit = dirname(folder);
    const isInUnit = /\.(service|scope)$/.test(basename(unit));
    const limits = Object.keys(cgroupFiles) as CgroupFile[];
    return usable(isInUnit ? unit : folder, limits, 'cgroup.subtree_control');
  } catch {
    // The system isn't Linux, or has no /proc.
    return undefined;
  }
}

/** Returns undefined unless a group can be made and limited there. */
function usable(
  folder: string,
  limits: readonly CgroupFile[],
  control?: string,
): Cgroups | undefined {
  try {
    if (control !== undefined) writeFileSync(join(folder, control), '+memory +pids +cpu');
    const group = join(folder, `slash-agent-probe-${process.pid}`);
    mkdirSync(group);
    try {
      for (const limit of limits) writeFileSync(join(group, cgroupFiles[limit].name), 'max');
      return { folder, limits };
    } finally {
      rmdirSync(group);
    }
  } catch {
    return undefined;
  }
}

const closeWaitsMs = [0, 10, 50, 200, 1_000];
const enter = 'echo $$ > "$0/cgroup.procs" && exec "$@"';

/** Makes a group with these limits for one command. `enter` comes before the command. */
export function openCgroup({ folder, limits }: Cgroups, wanted: Limits) {
  const group = join(folder, `slash-agent-${randomUUID()}`);
  mkdirSync(group);
  for (const limit of limits) {
    const file = cgroupFiles[limit as CgroupFile];
    const value = wanted[limit];
    if (value !== undefined) writeFileSync(join(group, file.name), file.value(value));
  }
  return {
    enter: ['/bin/sh', '-c', enter, group],
    /** The kernel may need a moment after the last process ended. A group that stays is empty. */
    async close(): Promise<void> {
      for (const waitMs of closeWaitsMs) {
        await sleep(waitMs);
        const isGone = await rmdir(group).then(
          () => true,
          () => false,
        );
        if (isGone) return;
      }
    },
  };
}
