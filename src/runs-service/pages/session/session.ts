import type { AgentConfig, Run } from 'runs-client/contract';
import type { ServiceRunChange } from '../../../store/service/service-runs.ts';
import type { SessionPatch } from './session-patch.ts';

/** What a session page shows. */
export type Session = {
  run: Run;
  config: AgentConfig;
  changes: readonly ServiceRunChange[];
  followups: readonly string[];
  command: readonly string[];
  repositories: readonly string[];
  /** What its environment can reach, in words. */
  network: string | undefined;
  output: string;
  /** How far the file of the output was read, in bytes. */
  outputOffset: number;
  outputBytes: number;
  patch: SessionPatch;
  /** Why there is no output to show, when there should be some. */
  missing?: 'pruned' | 'elsewhere' | undefined;
  ended: boolean;
  /** Where the page's events and downloads are, relative to the page, without a slash at the end. */
  address: string;
};
