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

/** What is wrong, and since when (epoch milliseconds). `message` is for people, without secrets. */
export const requestProblemSchema = z.object({
  code: z.string(),
  message: z.string(),
  since: z.number(),
});
export type RequestProblem = z.infer<typeof requestProblemSchema>;

/** Nobody can say how the run is: the service doesn't know it, or its connection is gone. */
export const isUnknown = (problem: RequestProblem | null): boolean =>
  problem !== null && ['gone', connectionRemoved, keyDisconnected].includes(problem.code);

/** What is known of a request's run. Times are epoch milliseconds. */
export const runProgressSchema = z.object({
  /** A newer version may have stored other steps. */
  step: z.custom<RequestStep>(),
  createBeganAt: time,
  /** The same moment by the runs service's clock, if that was known. */
  createBeganServiceAt: time,
  runId: z.string().nullable(),
  run: runSchema.nullable(),
  problem: requestProblemSchema.nullable(),
  failures: z.number(),
  /** When to read the run because no sweep has seen it. */
  lookAt: time,
  endedAt: time,
  /** Since when the run needs input, by the service's clock; null while it doesn't. */
  blockedAt: time,
  /** The id of the answer that the service hasn't got yet. */
  pendingAnswer: z.string().nullable(),
  /** Since when the message isn't kept up to date. */
  unfollowedAt: time,
  /** When someone pressed *Follow again*. */
  followedSince: time,
  /** Since when the service doesn't know the run. If the request ended, that is why. */
  missingSince: time,
  /** What people should know about the start, such as a file that the agent doesn't get. Masked. */
  startNotes: z.array(z.string()).nullable(),
  /** What was usual in its environment when it was created. */
  usual: usualLengthsSchema.nullable(),
  /** By the service's clock, the newest change of a run that has ended. Its run keeps the time of its end. */
  changeSeenAt: time,
  /** What a sweep has seen of the run and the follower hasn't applied yet. */
  pendingUpdate: runSchema.nullable(),
});
export type RunProgress = z.infer<typeof runProgressSchema>;
