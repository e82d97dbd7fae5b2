import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { isInstalled } from '../harnesses/agent-command.ts';
import { type Cgroups, type Limits, limitArguments, openCgroup } from './command-limits.ts';

import { findAddress } from './network/allowed-hosts.ts';
import { openForwardProxy } from './network/forward-proxy.ts';
import { relayInBubblewrap } from './network/relay.ts';
import { type ChildEnd, runInGroup } from './process-group.ts';
import {
  insideOf,
  type Sandbox,
  type SandboxedCommand,
  type SandboxTarget,
  type UnreachedAddress,
} from './sandbox.ts';
import { isShown, type Mounts, systemPaths } from './shown-paths.ts';
import { noFilterProblem, systemCallFilter } from './system-calls.ts';

/**
 * Network access of commands. `all` includes everything that the machine can reach. For a list of hosts, see `matchOf`.
 */
export type Network = 'none' | 'all' | string[];

export type BubblewrapOptions = {
  /** Path of the program `bwrap`. */
  program: string;
  target: SandboxTarget;
  /** Folders of the operator that commands can read or write. */
  mounts: Mounts;
  /** Folder to hide if another mount would show it. */
  hidden: string;
  network: Network;
  limits: Limits | undefined;
  /** Capability to open folders that an agent closed to itself. Only for system programs. */
  capability?: 'CAP_DAC_READ_SEARCH' | 'CAP_DAC_OVERRIDE' | undefined;
  /** Cgroups that limit all processes of a command together. Without them, limits apply to each process. */
  cgroups?: Cgroups | undefined;
};

const namespaces = [
  ...['--unshare-user', '--disable-userns', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
  ...['--unshare-cgroup-try', '--hostname', 'agent', '--cap-drop', 'ALL'],
  // Run the command's shell as process 1 of its namespace. When process 1 ends, the kernel ends all other processes.
  ...['--as-pid-1', '--die-with-parent', '--new-session'],
];

const mebibyte = 1024 * 1024;
const temporaryBytes = String(512 * mebibyte);
const sharedMemoryBytes = String(64 * mebibyte);

/**
 * Shell script that runs the command and ends with its exit code. The shell's own messages, such as "Terminated", are
 * dropped.
 */
const shell = `command -v "$1" >/dev/null 2>&1 || { echo "\\"$1\\" isn't installed, or the sandbox hides it." >&2; exit 127; }
exec 3>&2 2>/dev/null; (exec "$@" 2>&3 3>&-); exit $?`;

/**
 * Returns the arguments of bwrap. No mount's source is inside a run's folder, because an agent could replace the source
 * with a link. https://github.com/containers/bubblewrap
 */
function bubblewrapArguments(options: Omit<BubblewrapOptions, 'program'>): string[] {
  const { target, mounts, hidden, network, capability } = options;
  const samePath = (option: string, paths: readonly string[]) =>
    paths.flatMap((path) => [option, path, path]);
  const isCovered = isShown(hidden, mounts);
  return [
    ...namespaces,
    ...(capability ? ['--cap-add', capability] : []),
    ...(network === 'all' ? [] : ['--unshare-net']),
    ...samePath('--ro-bind-try', systemPaths),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...(existsSync(keyList) ? ['--ro-bind', '/dev/null', keyList] : []),
    // Make /proc read-only, because root could change kernel settings that have no namespace.
    ...['--remount-ro', '/proc'],
    ...['--size', sharedMemoryBytes, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['--size', temporaryBytes, '--tmpfs', '/tmp'],
    ...samePath('--ro-bind', mounts.read_only ?? []),
    ...samePath('--bind', mounts.writable ?? []),
    ...(isCovered ? ['--tmpfs', hidden] : []),
    ...samePath('--ro-bind', target.readOnly ?? []),
    ...['--bind', target.folder, insideOf(target)],
    ...(isCovered ? ['--remount-ro', hidden] : []),
  ];
}

/** Arguments that come last, because nothing can be mounted after them. For the descriptors, see `runInGroup`. */
const finalArguments = ['--remount-ro', '/', '--info-fd', '3', '--seccomp', '4'];

/** File that lists the kernel keys of the whole machine. Some kernels don't have this file. */
const keyList = '/proc/keys';

function requireFilter(): Buffer {
  const filter = systemCallFilter();
  if (!filter) throw new Error(noFilterProblem);
  return filter;
}

/** Max unreached addresses to keep, because an agent can request any number. */
const maxUnreached = 20;

/** Creates a sandbox that runs each command in its own kernel namespaces, with bubblewrap. */
export function bubblewrapSandbox({ program, ...options }: BubblewrapOptions): Sandbox {
  const sandbox = bubblewrapArguments(options);
  const unreached = new Map<string, UnreachedAddress>();

  async function start({ argv, ...command }: SandboxedCommand, more: readonly string[] = []) {
    const limits = limitArguments(options.limits);
    const run = ['/bin/sh', '-c', shell, 'sandbox', ...argv];
    const inside = ['--chdir', command.cwd, '--', ...limits, ...run];
    const { cgroups } = options;
    const group = cgroups && options.limits && openCgroup(cgroups, options.limits);
    try {
      return await runInGroup({
        ...command,
        cwd: '/',
        command: [
          ...(group?.enter ?? []),
          program,
          ...sandbox,
          ...more,
          ...finalArguments,
          ...inside,
        ],
        systemCallFilter: requireFilter(),
      });
    } finally {
      await group?.close();
    }
  }

  function startWithRelay(command: SandboxedCommand, proxy?: string) {
    const relay = relayInBubblewrap({ proxy, models: options.target.modelsFolder });
    const argv = [...relay.command, ...command.argv];
    const variables = { ...relay.variables, ...command.variables };
    return start({ ...command, argv, variables }, relay.mounts);
  }

  async function startWithProxy(command: SandboxedCommand, domains: readonly string[]) {
    const proxy = await openForwardProxy(
      (target) => findAddress(target, domains),
      (what) => {
        if (unreached.size < maxUnreached) unreached.set(what.address, what);
      },
    );
    try {
      return await startWithRelay(command, proxy.folder);
    } finally {
      await proxy.close();
    }
  }

  return {
    async run(command) {
      const { network, target } = options;
      const run = () => {
        if (Array.isArray(network)) return startWithProxy(command, network);
        return target.modelsFolder === undefined ? start(command) : startWithRelay(command);
      };
      const end = await run();
      return readEnd(end, command.argv[0] ?? '', command.variables['PATH'] ?? '');
    },
    unreached: () => [...unreached.values()],
  };
}

const signalNames = new Map(Object.entries(constants.signals).map(([name, code]) => [code, name]));

/** Interprets the shell's exit code: 127 for a missing program, and 128 plus the number of a signal. */
function readEnd(end: ChildEnd, program: string, path: string): ChildEnd {
  if (end.how !== 'exited') return end;
  if (end.code === 127 && !isInstalled(program, path))
    return { how: 'not-started', reason: 'ENOENT' };
  const signal = signalNames.get(end.code - 128);
  return signal === undefined ? end : { how: 'killed', signal };
}
