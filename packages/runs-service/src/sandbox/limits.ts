import type { ServiceEnvironment } from '../environments/environments.ts';

export type Limits = NonNullable<ServiceEnvironment['limits']>;

const mebibyte = 1024 * 1024;

/** The programs that set limits, from util-linux. */
export const limitPrograms = ({ cpus, ...others }: Limits): string[] => [
  ...(cpus === undefined ? [] : ['taskset']),
  ...(Object.keys(others).length === 0 ? [] : ['prlimit']),
];

/**
 * The arguments before a command that limit it. Processes are counted per run, because each has a user namespace of its
 * own. Memory is the writable memory of each process, because programs reserve far more address space than they use.
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
