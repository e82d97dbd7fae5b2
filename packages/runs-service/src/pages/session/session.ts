import type { AgentConfig, AgentProgress, Question, Run } from 'runs-client/contract';
import type { StoredChange } from '../../store/runs.ts';
import type { Answerer } from './session-access.ts';
import type { SessionPatch } from './session-patch.ts';

/** What a session page shows. */
export type Session = {
  run: Run;
  config: AgentConfig;
  progress: AgentProgress;
  /** The open question, and whether the reader can answer it. */
  asked: { question: Question; answerer: Answerer } | undefined;
  /** Why the reader's answer didn't count. */
  problem?: string | undefined;
  changes: readonly StoredChange[];
  followups: readonly string[];
  repositories: readonly string[];
  /** What its environment can reach. */
  network: string | undefined;
  /** If its environment has no wall. */
  isolationWarning: string | undefined;
  output: string;
  /** Where `output` ends in its file, in bytes. */
  outputEnd: number;
  patch: SessionPatch;
  /** `isMasked` if the link alone opens it, without what looks like a secret. */
  files: readonly { uid: string; path: string; bytes: number; isMasked: boolean }[];
  /** Why the output isn't here. */
  missing?: 'pruned' | 'elsewhere' | undefined;
  ended: boolean;
  /** The folder of events and downloads, relative to the page, without a slash at the end. */
  address: string;
};
