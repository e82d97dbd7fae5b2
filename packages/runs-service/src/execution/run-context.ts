import type { Attachment } from 'runs-client/attachment';
import type { AgentConfig, Question } from 'runs-client/contract';
import type { ServiceEnvironment } from '../environments/environments.ts';
import type { PersonAnswer } from '../harnesses/harness.ts';
import type { AgentUsage } from '../harnesses/steps/agent-step.ts';
import type { Trash } from '../sandbox/deletion/trash.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Sandboxes } from '../sandbox/sandboxes.ts';
import type { Followup } from '../store/followups.ts';
import type { ExecutedRun } from './executed-run.ts';
import type { RunFiles } from './files/run-files.ts';
import type { NewRunFolder, RunFolder } from './files/run-folder.ts';
import type { Skills } from './files/skills.ts';
import type { Checkouts } from './git/checkout.ts';
import type { LiveProgress, ProgressTools } from './live-progress.ts';
import type { Memory, OpenMemory } from './memory/conversation-memory.ts';
import type { OutputRecorder } from './output/output-recorder.ts';
import type { RunClock } from './run-clock.ts';
import type { SetupCache } from './setup/setup-cache.ts';

/** Where questions are kept, with retries while the database is away. */
export type QuestionTools = {
  /** False if another process took the run. */
  ask: (runId: string, question: Question, signal: AbortSignal) => Promise<boolean>;
  /** Undefined while the question is open; null if it's closed without an answer. */
  answerOf: (
    runId: string,
    questionId: string,
    signal: AbortSignal,
  ) => Promise<PersonAnswer | null | undefined>;
  /** Has no effect if there is an answer. `note` is for the timeline. */
  close: (runId: string, questionId: string, note: string, signal: AbortSignal) => Promise<void>;
};

/** What the steps of every run use. */
export type StepTools = ProgressTools & {
  sandboxes: Sandboxes;
  trash: Pick<Trash, 'discard'>;
  checkouts: Checkouts;
  skills: Skills;
  setups: SetupCache;
  openMemory: OpenMemory;
  files: RunFiles;
  /** Where folders of conversations are seen. */
  stableDir: string;
  /** The files that came with the run. */
  attachmentsOf: (runId: string, signal: AbortSignal) => Promise<Attachment[]>;
  /** The follow-up after the one with this number. Once it returns undefined, the run accepts no more. */
  takeFollowup: (
    runId: string,
    after: number,
    signal: AbortSignal,
  ) => Promise<Followup | undefined>;
  /** Adds a line to the run's timeline. */
  note: (runId: string, text: string) => Promise<void>;
  /** Saves what the agent reports that the run has used. */
  saveUsage: (runId: string, usage: AgentUsage) => Promise<void>;
  questions: QuestionTools;
  path: string;
  outputLimitBytes: number;
  killGraceMs: number;
};

/** A run before its first command. */
export type NewRun = {
  run: ExecutedRun;
  config: AgentConfig;
  environment: ServiceEnvironment;
  /** The environment's secrets, by the names of their variables. */
  secrets: Record<string, string>;
  /** Masked in everything that is stored or shown. */
  hidden: readonly string[];
  folder: NewRunFolder;
  /** Where commands see its folder. On this machine it can be elsewhere. */
  workDir: string;
  recorder: OutputRecorder;
  progress: LiveProgress;
  memory: Memory;
  signal: AbortSignal;
  clock: RunClock;
};

/** Dependencies and state of one run's steps, once commands run. */
export type RunContext = Omit<NewRun, 'folder'> & {
  folder: RunFolder;
  /** Around the agent and the setup. */
  sandbox: Sandbox;
  /** Around programs of the system that work with what the agent wrote. */
  tools: Sandbox;
};
