import { z } from 'zod';
import type { PostPlace } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';

/**
 * Names a run in a button or a modal by our request ID. A run that wasn't started in Slack is named by its service and
 * run ID.
 */
export const runRefSchema = z.union([
  z.object({ requestId: z.string().min(1) }),
  z.object({ runId: z.string().min(1), serviceId: z.string().min(1) }),
]);
export type RunRef = z.infer<typeof runRefSchema>;

/** Prefix of a reference by run ID. No request ID starts with it, because they all start with a workspace ID. */
const runPrefix = 'run:';

export const writeRunRef = (ref: RunRef): string =>
  'requestId' in ref ? ref.requestId : `${runPrefix}${ref.serviceId}:${ref.runId}`;

export function readRunRef(text: string | undefined): RunRef | undefined {
  if (!text) return undefined;
  if (!text.startsWith(runPrefix)) return { requestId: text };
  const [serviceId, ...rest] = text.slice(runPrefix.length).split(':');
  const runId = rest.join(':');
  return serviceId && runId ? { runId, serviceId } : undefined;
}

/** Reads the channel and timestamp of a message from a link that Slack's *Copy link* made. */
export function placeOfLink(text: string): PostPlace | undefined {
  const [, channelId, seconds, rest] = /\/archives\/([A-Z0-9]+)\/p(\d{10})(\d{6})/.exec(text) ?? [];
  return channelId ? { channelId, ts: `${seconds}.${rest}` } : undefined;
}

/** Returns the thread for replies to a run. The run message starts this thread or is in it. */
export function threadOf(
  { channelId, origin }: RunRequest,
  message: PostPlace | null | undefined,
): PostPlace | undefined {
  if (!message) return undefined;
  const inThread = message.channelId === channelId ? origin?.threadTs : undefined;
  return { channelId: message.channelId, ts: inThread ?? message.ts };
}

/** Kind of key that mentions and replies share, so that a message is stored as only one of them. */
export const messageKeys = 'message';

/**
 * Returns the prefix of the keys of all messages in a thread. The keys sort by time, because Slack's timestamps have
 * the same length.
 */
export const threadKey = (channelId: string, threadTs: string): string =>
  `${channelId} ${threadTs} `;

/**
 * Returns the key of a message that a person writes to a run. Slack sends a mention as two events with different IDs,
 * and repeats each for minutes. Meanwhile, the thread may have become a run's, so that the mention looks like a reply.
 */
export const messageKey = ({
  channelId,
  threadTs,
  ts,
}: {
  channelId: string;
  threadTs?: string | undefined;
  ts: string;
}): string => threadKey(channelId, threadTs ?? ts) + ts;

/**
 * Returns the ID of the request that a message starts. It's also the idempotency key for sending the message to a run.
 */
export const requestIdOf = ({
  teamId,
  channelId,
  message,
}: {
  teamId: string;
  channelId: string;
  message: { ts: string };
}): string => `${teamId}-${channelId}-${message.ts}`;
