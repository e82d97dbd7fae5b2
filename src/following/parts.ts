import type { Logger } from 'base/logger';
import type { Connections } from '../store/following/connections.ts';
import type { RunLengths } from '../store/following/run-lengths.ts';
import type { Answers } from '../store/requests/answers.ts';
import type { RequestLeases } from '../store/requests/request-leases.ts';
import type { Requests } from '../store/requests/requests.ts';
import type { FollowedRuns } from './runs-port.ts';
import type { RequestFiles } from './steps/attach-files.ts';
import type { Attribution } from './steps/attribute-run.ts';

export type FollowingParts = {
  requests: Pick<Requests, 'findByRunIds'>;
  leases: Pick<RequestLeases, 'record' | 'check'>;
  connections: Pick<Connections, 'find' | 'wake'>;
  answers: Pick<Answers, 'find' | 'begin' | 'retryLater' | 'settle'>;
  /** Through the connection of the request. */
  runs: FollowedRuns;
  files: RequestFiles;
  attribution: Attribution;
  lengths: Pick<RunLengths, 'usual'>;
  logger: Logger;
};
