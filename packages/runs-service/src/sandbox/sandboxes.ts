import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'base/logger';
import { LRUCache } from 'lru-cache';
import {
  isolationOf,
  isolationWarning,
  runnerOf,
  type ServiceEnvironment,
} from '../environments/environments.ts';
import { type BubblewrapOptions, bubblewrapSandbox } from './bubblewrap.ts';
import { checkSandbox, findProgram } from './check-sandbox.ts';
import { type Cgroups, findCgroups, type Limits } from './command-limits.ts';
import { containerSandbox, mountsFolder, removeContainer } from './container.ts';
import { withDiskLimit } from './disk-limit.ts';

import { withoutSandbox } from './run-on-host.ts';
import { createRunProcesses } from './run-processes.ts';
import { insideOf, type Sandbox, type SandboxTarget } from './sandbox.ts';

/** User that agents would run as. `allowRoot` is true if the operator allows root. */
export type ServiceUser = {
  allowRoot?: boolean | undefined;
  /** User ID of the agents. By default the user of this process. */
  userId?: number | undefined;
};

type RootEnvironment = Pick<ServiceEnvironment, 'isBuiltIn' | 'runner'>;

function runsAsRoot({ isBuiltIn }: RootEnvironment, { userId }: ServiceUser): boolean {
  return !isBuiltIn && (userId ?? process.getuid?.()) === 0;
}

/**
 * Returns a problem with advice if agents of this environment would run as root, unless the operator allows that.
 * Undefined otherwise.
 */
export function rootProblem(environment: RootEnvironment, user: ServiceUser): string | undefined {
  if (user.allowRoot || !runsAsRoot(environment, user)) return undefined;
  return "the runs service runs as root, and agents would have root's user ID. Give the service a user, or set RUNS_SERVICE_ALLOW_ROOT=true";
}

/**
 * Returns a warning for people who choose an environment if its agents run as root on the service's machine. Undefined
 * otherwise.
 */
export function rootWarning(environment: RootEnvironment, user: ServiceUser): string | undefined {
  if (!user.allowRoot || runnerOf(environment) !== 'local') return undefined;
  return runsAsRoot(environment, user)
    ? 'Agents run as root, because the runs service does.'
    : undefined;
}

type SandboxesOptions = ServiceUser & {
  dataDir: string;
  path: string;
  logger: Logger;
  /** Aborts when the service stops, which ends running checks. */
  stopping?: AbortSignal;
};

export type SandboxedEnvironment = Pick<
  ServiceEnvironment,
  'isolation' | 'container' | 'container_remove' | 'read_only' | 'writable' | 'network' | 'limits'
>;

/** Time after which an environment is checked again, in ms. */
const probeAgeMs = 60_000;
/**
 * Time after which a container environment is checked again, in ms. It's longer, because starting a container is slow.
 * If the environment breaks earlier, its runs report the failure.
 */
const containerAgeMs = 60 * 60_000;
/** Max cached results. A changed environment gets a new result. */
const maxProbes = 1_000;

/**
 * Removes the disk limit for system programs, because saved files can be large. Other limits stay, because git can
 * run an agent's programs through submodule settings.
 */
const withoutDisk = ({ disk_mb: _, ...limits }: Limits = {}): Limits => limits;

/** Returns true if commands can see a folder at a path that differs from the service's path. */
function mountsFolderOf(environment: SandboxedEnvironment): boolean {
  const isolation = isolationOf(environment);
  if (isolation === 'container') return mountsFolder(environment.container ?? []);
  return isolation === 'bubblewrap';
}

/**
 * Returns where commands reach the model gateway: a socket in a sandbox with its own network, or a port if they share
 * the network of this process.
 */
export function modelListenerOf(environment: SandboxedEnvironment): 'socket' | 'port' {
  const isolation = isolationOf(environment);
  if (isolation === 'container') return 'socket';
  return isolation === 'bubblewrap' && environment.network !== 'all' ? 'socket' : 'port';
}

type InSandbox<T> = (sandbox: Sandbox, folder: string) => Promise<T>;

async function inNewFolder<T>(dataDir: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(dataDir, 'empty-'));
  return work(folder).finally(() => rmdir(folder));
}

export function createSandboxes({ path, logger, ...options }: SandboxesOptions) {
  const dataDir = realpathSync(options.dataDir);
  const stopping = options.stopping ?? new AbortController().signal;
  const killRunProcesses = createRunProcesses();
  const probes = new LRUCache<string, Promise<string | undefined>>({ max: maxProbes });
  let lookedUp: { cgroups: Cgroups | undefined } | undefined;

  /** Finds the cgroup folder when an environment with limits first needs it. */
  function cgroups(): Cgroups | undefined {
    if (lookedUp) return lookedUp.cgroups;
    lookedUp = { cgroups: findCgroups() };
    logger.info(
      { together: lookedUp.cgroups?.limits ?? [] },
      'limits hold for each process, and those in "together" for all of a run',
    );
    return lookedUp.cgroups;
  }

  /** Opens the sandbox that the environment's settings require, never a weaker one. */
  function open(environment: SandboxedEnvironment, target: SandboxTarget): Sandbox {
    switch (isolationOf(environment)) {
      case 'none':
      case 'external':
        return withoutSandbox(target, killRunProcesses);
      case 'container':
        return containerSandbox(environment, environment.container ?? [], { target, logger });
      case 'bubblewrap':
        return withLimit(environment, target, {
          program: findProgram('bwrap', path) ?? 'bwrap',
          target,
          capability: target.isRemoval ? 'CAP_DAC_OVERRIDE' : undefined,
          mounts: environment,
          hidden: dataDir,
          limits: target.isOffline ? withoutDisk(environment.limits) : environment.limits,
          cgroups: environment.limits && cgroups(),
          network: target.isOffline ? 'none' : (environment.network ?? ['*']),
        });
    }
  }

  function withLimit(
    { limits }: SandboxedEnvironment,
    target: SandboxTarget,
    options: BubblewrapOptions,
  ): Sandbox {
    const sandbox = bubblewrapSandbox(options);
    const limitMb = target.isOffline ? undefined : limits?.disk_mb;
    if (limitMb === undefined) return sandbox;
    const only = {
      target: { ...target, modelsFolder: undefined },
      network: 'none',
      limits: undefined,
      capability: 'CAP_DAC_READ_SEARCH',
    } as const;
    const measuring = bubblewrapSandbox({ ...options, ...only });
    return withDiskLimit(sandbox, { folder: insideOf(target), path, limitMb, measuring });
  }

  const probe = (environment: ServiceEnvironment) =>
    inNewFolder(dataDir, (folder) => {
      const runId = `probe-${randomUUID()}`;
      const sandbox = () => open(environment, { runId, folder });
      return checkSandbox(environment, { sandbox, folder, path, signal: stopping, cgroups });
    });

  return {
    open,

    /**
     * Runs `work` with a sandbox whose folder is new and empty. System programs use it to read files of an environment.
     */
    inEmptyFolder: <T>(environment: SandboxedEnvironment, runId: string, work: InSandbox<T>) =>
      inNewFolder(dataDir, (folder) =>
        work(open(environment, { runId, folder, isOffline: true }), folder),
      ),

    mountsFolder: mountsFolderOf,

    /** Settings of the sandbox that deletes a folder if the folder's own environment doesn't exist anymore. */
    fallback: { isolation: findProgram('bwrap', path) ? 'bubblewrap' : 'none' } as const,

    /** Returns a warning for people who choose this environment. Undefined if nothing weakens its sandbox. */
    warningOf(environment: ServiceEnvironment): string | undefined {
      const warnings = [isolationWarning(environment), rootWarning(environment, options)];
      return warnings.filter(Boolean).join(' ') || undefined;
    },

    /** Returns the reason why commands can't run in this environment. Undefined if they can. */
    async problemOf(environment: ServiceEnvironment): Promise<string | undefined> {
      const asRoot = rootProblem(environment, options);
      if (asRoot !== undefined) return asRoot;
      const key = JSON.stringify(environment);
      const earlier = probes.get(key);
      if (earlier) return earlier;
      const isContainer = isolationOf(environment) === 'container';
      const probed = probe(environment);
      probes.set(key, probed);
      probed.then(
        (problem) =>
          probes.set(key, probed, { ttl: problem || !isContainer ? probeAgeMs : containerAgeMs }),
        () => probes.delete(key),
      );
      return probed;
    },

    /**
     * Ends a run's processes and containers that a crashed service left. Bubblewrap's processes end together with the
     * service.
     */
    async endLeftovers(runId: string, environment: ServiceEnvironment | undefined) {
      await killRunProcesses(runId);
      if (!environment) return;
      const variables = { ...environment.variables, PATH: path };
      const reason = await removeContainer(environment, runId, variables);
      if (reason !== undefined) logger.warn({ runId, reason }, 'cannot remove a container');
    },
  };
}
export type Sandboxes = ReturnType<typeof createSandboxes>;
