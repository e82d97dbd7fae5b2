import type { Logger } from '../lib/logger.ts';
import type { Connections } from '../store/following/connections.ts';
import type { RunLengths } from '../store/following/run-lengths.ts';
import type { Notices } from '../store/outbox/notices.ts';
import type { RequestLeases } from '../store/requests/request-leases.ts';
import type { Requests } from '../store/requests/requests.ts';
import type { SlackNotices } from './notices-port.ts';
import type { RunMessages } from './run-messages.ts';
import type { FollowedRuns } from './runs-port.ts';

export type FollowingParts = {
  requests: Pick<Requests, 'findByRunIds'>;
  leases: Pick<RequestLeases, 'record' | 'check' | 'suspectDuplicate'>;
  connections: Pick<Connections, 'find' | 'wake'>;
  runs: FollowedRuns;
  messages: RunMessages;
  notices: SlackNotices;
  noticeStore: Notices;
  lengths: RunLengths;
  logger: Logger;
};
