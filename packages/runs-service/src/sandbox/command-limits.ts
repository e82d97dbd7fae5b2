import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sleep } from 'base/sleep';
import type { ServiceEnvironment } from '../environments/environments.ts';

export type Limits = NonNullable<ServiceEnvironment['limits']>;

const mebibyte = 1024 * 1024;

/** Returns the util-linux programs that set these limits. */
export const limitPrograms = ({ cpus, ...others }: Limits): string[] => [
  ...(cpus === undefined ? [] : ['taskset']),
  ...(Object.keys(others).length === 0 ? [] : ['prlimit']),
];

/**
 * Returns the arguments that come before a command and limit it. Processes are counted per run, because each run has
 * its own user namespace. Memory is the writable memory of each process, because programs reserve far more address
 * space than they use.
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

/** Cgroup folder in which each command with limits gets its own group. */
export type Cgroups = {
  folder: string;
  /** Limits that groups in this folder support. */
  limits: readonly (keyof Limits)[];
};

type System = {
  /** Content of the file `/proc/self/cgroup`. */
  own: string;
  /** Folder where the cgroup hierarchies are mounted. */
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
 * Finds a cgroup folder that the service can use. In cgroup version 2, that's the service's own group or the systemd
 * unit around it. Version 1 is used only to limit the number of processes, because nothing else limits it for root.
 * https://systemd.io/CGROUP_DELEGATION
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
    // Use no cgroups, because the system isn't Linux or has no /proc.
    return undefined;
  }
}

/** Returns the cgroup folder, or undefined if the service can't create a group with these limits in the folder. */
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

/**
 * Creates a cgroup with these limits for one command. `enter` contains the arguments that come before the command and
 * start it in the group.
 */
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
    /** Removes the group. Retries, because the kernel can need a moment after the last process ended. */
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
