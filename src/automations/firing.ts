import { fingerprint } from 'base/fingerprint';
import { z } from 'zod';

/**
 * Result of a firing.
 * - `waiting`: not decided yet.
 * - `started`: its request is accepted. The request has the result of the run.
 * - `unmatched`: the filter rejected it.
 * - `skipped`: a limit, an unfinished run, or a person who can't start runs. `reason` says which.
 * - `missed`: it was due while nothing could start it.
 * - `failed`: its run couldn't be started.
 */
export const firingStates = [
  ...(['waiting', 'started', 'unmatched', 'skipped', 'missed', 'failed'] as const),
] as const;
export type FiringState = (typeof firingStates)[number];

/** Content of a firing, by what fired the automation. `by` is the Slack ID of the person or bot, if there is one. */
export const firingContentSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('schedule'),
    /** Number of due times that this firing stands for, if they were missed. */
    count: z.number().optional(),
    /** Last of the missed due times. */
    lastAt: z.number().optional(),
  }),
  z.object({ kind: z.literal('webhook'), deliveryId: z.string(), event: z.string().optional() }),
  z.object({
    kind: z.literal('message'),
    channelId: z.string(),
    ts: z.string(),
    by: z.string(),
  }),
  z.object({
    kind: z.literal('reaction'),
    channelId: z.string(),
    ts: z.string(),
    by: z.string(),
  }),
  /** Someone selected *Start now*. It has the tested delivery or message, if there is one. */
  z.object({
    kind: z.literal('test'),
    by: z.string(),
    /** Firing whose payload is used. */
    ofFiring: z.string().optional(),
    message: z.object({ channelId: z.string(), ts: z.string() }).optional(),
  }),
]);
export type FiringContent = z.infer<typeof firingContentSchema>;

/** One due time, delivery, message or reaction of an automation. Times are epoch ms. */
export const firingSchema = z.object({
  /** The automation's ID and a key of what fired it, so that a repeat is the same firing. */
  id: z.string(),
  automationId: z.string(),
  teamId: z.string(),
  /** Time when it was due or arrived. */
  happenedAt: z.number(),
  state: z.enum(firingStates).catch('waiting'),
  /** Sentence in mrkdwn that says why nothing was started. Null if something was, or nobody needs to know. */
  reason: z.string().nullable(),
  requestId: z.string().nullable(),
  /** Key of the run. Two firings with the same key, such as two people's reactions, start one run. */
  startKey: z.string(),
  content: z.object({ fired: firingContentSchema }),
  /** Time when it was counted against the limits. Null before that. */
  countedAt: z.number().nullable(),
});
export type Firing = z.infer<typeof firingSchema>;

/** Returns the ID of the firing's request. A repeated start is the same request. */
export const requestIdOfFiring = ({
  teamId,
  automationId,
  startKey,
}: Pick<Firing, 'teamId' | 'automationId' | 'startKey'>): string =>
  `${teamId}-${automationId}-${fingerprint({ startKey })}`;
