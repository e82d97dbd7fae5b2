import type { Logger } from 'base/logger';
import type { Connection, ConnectionChanges } from '../../store/following/connections.ts';
import type { FollowedRunsStore } from '../../store/following/followed-runs.ts';
import type { ListedRuns } from '../runs-port.ts';

export type SweepParts = {
  followed: FollowedRunsStore;
  runs: ListedRuns;
  /** Whether the service announces changes. */
  isListening(): boolean;
  logger: Logger;
};

/** What a sweep changes; `nextInMs` overrides the usual time until the next one. */
export type Swept = ConnectionChanges & { nextInMs?: number };

export type Sweep = (
  parts: SweepParts,
  connection: Connection,
  signal: AbortSignal,
) => Promise<Swept>;
