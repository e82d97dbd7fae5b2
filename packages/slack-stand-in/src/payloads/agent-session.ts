import type { JsonObject } from '../lib/json.ts';

type Stopped = { channelId: string; threadTs: string; userId: string; ts: string };

/** Documented, without a sample. No message is being streamed here. */
export const agentSessionStopped = ({ channelId, threadTs, userId, ts }: Stopped): JsonObject => ({
  type: 'agent_session_stopped',
  channel: channelId,
  user: userId,
  thread_ts: threadTs,
  streaming_message_ts: [],
  event_ts: ts,
});
