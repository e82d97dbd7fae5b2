import { z } from 'zod';
import type { PostPlace } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';

/** A run in a button or a modal: by our request id or, if it was started elsewhere, by its service and run id. */
export const runRefSchema = z.union([
  z.object({ requestId: z.string().min(1) }),
  z.object({ runId: z.string().min(1), serviceId: z.string().min(1) }),
]);
export type RunRef = z.infer<typeof runRefSchema>;

/** No request id starts like this: they all start with a workspace id. */
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

/** The message that Slack's *Copy link* leads to. */
export function placeOfLink(text: string): PostPlace | undefined {
  const [, channelId, seconds, rest] = /\/archives\/([A-Z0-9]+)\/p(\d{10})(\d{6})/.exec(text) ?? [];
  return channelId ? { channelId, ts: `${seconds}.${rest}` } : undefined;
}

/** The thread for replies: the one below the run message, or the one that the run message is in. */
export function threadOf(
  { channelId, origin }: RunRequest,
  message: PostPlace | null | undefined,
): PostPlace | undefined {
  if (!message) return undefined;
  const inThread = message.channelId === channelId ? origin?.threadTs : undefined;
  return { channelId: message.channelId, ts: inThread ?? message.ts };
}

/**
 * What names a message that a person writes to a run. Slack sends a mention as two events with ids of their own, and
 * repeats each for minutes. Meanwhile the thread may have become a run's, so that the mention looks like a reply.
 */
type Place = { channelId: string; threadTs?: string | undefined; ts: string };

/** Mentions and replies share their keys: a message is stored as only one of them. */
export const messageKeys = 'message';

/** What the keys of all messages in a thread start with. They sort by time: Slack's timestamps have the same length. */
export const threadKey = (channelId: string, threadTs: string): string =>
  `${channelId} ${threadTs} `;

export const messageKey = ({ channelId, threadTs, ts }: Place): string =>
  threadKey(channelId, threadTs ?? ts) + ts;

type Written = { teamId: string; channelId: string; message: { ts: string } };

/** For the request that a message starts, and for sending it. The same however often the message is handled. */
export const requestIdOf = ({ teamId, channelId, message }: Written): string =>
  `${teamId}-${channelId}-${message.ts}`;
