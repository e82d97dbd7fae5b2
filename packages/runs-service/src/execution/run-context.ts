import type { AgentConfig } from 'runs-client/contract';
import type { ServiceEnvironment } from '../environments/environments.ts';
import type { Trash } from '../sandbox/deletion/trash.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Sandboxes } from '../sandbox/sandboxes.ts';
import type { ExecutedRun } from '../store/runs.ts';
import type { RunFiles } from './files/run-files.ts';
import type { NewRunFolder, RunFolder } from './files/run-folder.ts';
import type { Skills } from './files/skills.ts';
import type { Checkouts } from './git/checkout.ts';
import type { LiveProgress } from './live-progress.ts';
import type { Memory, OpenMemory } from './memory/conversation-memory.ts';
import type { OpenModels } from './model-access.ts';
import type { OutputRecorder } from './output/output-recorder.ts';
import type { RunClock } from './run-clock.ts';
import type { RunStore } from './run-store.ts';
import type { SetupCache } from './setup/setup-cache.ts';

/** Programs and folders of the machine that executes the runs. */
export type Machine = {
  sandboxes: Sandboxes;
  trash: Pick<Trash, 'discard'>;
  checkouts: Checkouts;
  setups: SetupCache;
  openMemory: OpenMemory;
  files: RunFiles;
  /** Parent of the folders that agents see, which have the same path in every run of a conversation. */
  stableDir: string;
  /** PATH in which programs are searched. */
  path: string;
};

export type StepLimits = { outputLimitBytes: number; patchLimitBytes: number; killGraceMs: number };

/** Dependencies of the steps of every run. */
export type StepDeps = { store: RunStore; machine: Machine; skills: Skills; limits: StepLimits };

/** Data of a run before its first command. */
export type NewRun = {
  run: ExecutedRun;
  config: AgentConfig;
  environment: ServiceEnvironment;
  /** The environment's secrets, by the names of their variables. */
  secrets: Record<string, string>;
  /** Access to models through the gateway, if the environment has `models`. */
  models: OpenModels | undefined;
  /** Secrets to mask in everything that is stored or shown. */
  hidden: readonly string[];
  folder: NewRunFolder;
  /** Path of the run's folder as commands see it. Its path on the host can differ. */
  workDir: string;
  recorder: OutputRecorder;
  progress: LiveProgress;
  memory: Memory;
  signal: AbortSignal;
  clock: RunClock;
};

/** Data of a run once commands can run in its sandbox. */
export type RunContext = Omit<NewRun, 'folder'> & {
  folder: RunFolder;
  /** Sandbox of the agent and the setup. */
  sandbox: Sandbox;
  /** Sandbox without a network, for system programs that read or change the agent's files. */
  toolSandbox: Sandbox;
};
