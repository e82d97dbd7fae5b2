import type { AgentConfig, AgentProgress, Run } from 'runs-client/contract';
import type { ServiceRunChange } from '../../../store/service/service-runs.ts';
import type { SessionPatch } from './session-patch.ts';

/** What a session page shows. */
export type Session = {
  run: Run;
  config: AgentConfig;
  progress: AgentProgress;
  changes: readonly ServiceRunChange[];
  followups: readonly string[];
  command: readonly string[];
  repositories: readonly string[];
  /** What its environment can reach. */
  network: string | undefined;
  /** If its environment has no wall. */
  isolationWarning: string | undefined;
  output: string;
  /** Where `output` ends in its file, in bytes. */
  outputEnd: number;
  patch: SessionPatch;
  /** Why the output isn't here. */
  missing?: 'pruned' | 'elsewhere' | undefined;
  ended: boolean;
  /** The folder of events and downloads, relative to the page, without a slash at the end. */
  address: string;
};
