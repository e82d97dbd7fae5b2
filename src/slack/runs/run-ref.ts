import { z } from 'zod';
import type { PostPlace } from '../../store/outbox/outbox-row.ts';

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
