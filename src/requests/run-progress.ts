import { runSchema } from 'runs-client/contract';
import { z } from 'zod';
import { connectionRemoved, keyDisconnected } from './connection.ts';
import type { RequestStep } from './steps.ts';

const time = z.number().nullable();

/** Medians of an environment, in milliseconds; undefined with too few runs. */
const usualLengthsSchema = z.object({
  waitMs: z.number().optional(),
  workMs: z.number().optional(),
});
export type UsualLengths = z.infer<typeof usualLengthsSchema>;

/** A problem and its start (epoch milliseconds). `message` is for people, without secrets. */
export const requestProblemSchema = z.object({
  code: z.string(),
  message: z.string(),
  since: z.number(),
});
export type RequestProblem = z.infer<typeof requestProblemSchema>;

/** Nobody can say how the run is: the service doesn't know it, or its connection is gone. */
export const isUnknown = (problem: RequestProblem | null): boolean =>
  problem !== null && ['gone', connectionRemoved, keyDisconnected].includes(problem.code);

/** The state of a request and its run, as people see it. Times are epoch milliseconds. */
export const runProgressSchema = z.object({
  /** A newer version may have stored other steps. */
  step: z.custom<RequestStep>(),
  createBeganAt: time,
  runId: z.string().nullable(),
  run: runSchema.nullable(),
  problem: requestProblemSchema.nullable(),
  /** Time to read the run because no sweep has seen it. */
  nextPollAt: time,
  endedAt: time,
  /** Time of the question that blocks the run, by the service's clock; null while it needs no input. */
  blockedAt: time,
  /** Time of *Stop following*, or of the end of a silent week. */
  unfollowedAt: time,
  /** Time of *Follow again*. */
  followedSince: time,
  /** Time of the first answer that didn't know the run. If the request ended, that is why. */
  missingSince: time,
  /** Notes for people about the start, such as a file that the agent doesn't get. Masked. */
  startNotes: z.array(z.string()).nullable(),
  /** The usual lengths in its environment when it was created. */
  usual: usualLengthsSchema.nullable(),
  /** The newest change of a run that has ended, by the service's clock. Its run keeps the time of its end. */
  changeSeenAt: time,
});
export type RunProgress = z.infer<typeof runProgressSchema>;

/** State of the follower's own work on a request. Times are epoch milliseconds. */
export const followerStateSchema = z.object({
  failures: z.number(),
  /** `createBeganAt` by the runs service's clock, if that was known. */
  createBeganServiceAt: time,
  /** Time of the next try to cancel the run, and to publish its changes. */
  cancelRetryAt: time,
  publishRetryAt: time,
  /** ID of the answer that the service hasn't received yet. */
  pendingAnswer: z.string().nullable(),
  /** The run as a sweep has seen it and the follower hasn't applied yet. */
  pendingUpdate: runSchema.nullable(),
});
export type FollowerState = z.infer<typeof followerStateSchema>;
