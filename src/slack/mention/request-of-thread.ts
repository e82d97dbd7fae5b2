import { liveSteps } from '../../requests/steps.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { ReadRunOfMessage } from '../runs/reading/run-of-message.ts';
import type { Mention } from './read-mention.ts';

export type ThreadParts = {
  requests: Pick<Requests, 'liveInThread' | 'findOfThread'>;
  readRunOfMessage: ReadRunOfMessage;
};

type Found = { request: RunRequest; isLive: boolean };

/** The run that this thread is about: one that is active in it, or the newest of its conversation. */
export async function requestOfThread(
  { requests, readRunOfMessage }: ThreadParts,
  { teamId, channelId, threadTs, message }: Mention,
  botUserId: string,
): Promise<Found | undefined> {
  if (!threadTs) return undefined;
  const [live] = await requests.liveInThread(teamId, { channelId, threadTs });
  if (live) return { request: live, isLive: true };
  const root = { channelId, ts: threadTs };
  const known = await requests.findOfThread(teamId, { channelId, threadTs });
  if (known) return { request: known, isLive: false };
  if (message.parent_user_id !== botUserId) return undefined;
  const request = await readRunOfMessage(teamId, root);
  return request && { request, isLive: liveSteps.includes(request.step) };
}
