import type { Logger } from 'base/logger';
import { isTerminalState } from 'runs-client/contract';
import type { RunChange } from 'runs-client/run-change';
import type { Connections } from '../../store/following/connections.ts';
import type { FollowedRunsStore } from '../../store/following/followed-runs.ts';
import type { FollowedRequest } from '../../store/requests/request-row.ts';

export type NewsParts = {
  connections: Pick<Connections, 'find' | 'wake'>;
  followed: Pick<FollowedRunsStore, 'ofRuns' | 'lookNow'>;
  connectionId: string;
  logger: Logger;
};

/**
 * Whether a sweep would find out what these announced changes are, by run id. Runs that changed before the time from which
 * it lists changes are read one by one: their changes became visible late.
 */
export async function readNews(
  { connections, followed, connectionId }: Omit<NewsParts, 'logger'>,
  changes: ReadonlyMap<string, RunChange>,
): Promise<boolean> {
  const connection = await connections.find(connectionId);
  // Sweeps of another kind cost too much to be made for each change.
  if (connection?.mode !== 'changes') return false;
  const news = (await followed.ofRuns([...changes.keys()])).flatMap((request) => {
    const change = changes.get(request.runId ?? '');
    return change && isNews(change, request) ? [change] : [];
  });
  const { watermark } = connection;
  const isPassed = ({ updated_at: at }: RunChange) =>
    watermark !== null && Date.parse(at) <= watermark;
  const passed = news.filter(isPassed);
  if (passed.length > 0) await followed.lookNow(passed.map(({ run_id: id }) => id));
  return passed.length < news.length;
}

/** An event may come twice, or after a later one. An end is news with any time. */
function isNews(change: RunChange, { run, pendingUpdate }: FollowedRequest): boolean {
  const known = pendingUpdate ?? run;
  if (!known) return true;
  if (isTerminalState(change.state) && !isTerminalState(known.state)) return true;
  const laterMs = Date.parse(change.updated_at) - Date.parse(known.updated_at);
  return laterMs > 0 || (laterMs === 0 && change.state !== known.state);
}
