import { runSchema } from 'runs-client/contract';
import { z } from 'zod';
import { connectionRemoved, keyDisconnected } from './connection.ts';
import type { RequestStep } from './steps.ts';

const time = z.number().nullable();

/** Median durations in an environment, in ms. Undefined with too few runs. */
const usualLengthsSchema = z.object({
  waitMs: z.number().optional(),
  workMs: z.number().optional(),
});
export type UsualLengths = z.infer<typeof usualLengthsSchema>;

/** A problem, and its start in epoch ms. `message` is for people, without secrets. */
export const requestProblemSchema = z.object({
  code: z.string(),
  message: z.string(),
  since: z.number(),
});
export type RequestProblem = z.infer<typeof requestProblemSchema>;

/** Problem code of a request that wasn't started because a spending cap is used up. */
export const budgetExceeded = 'budget_exceeded';

/** Returns true if the run's state can't be known. The service doesn't know the run, or the connection is gone. */
export const isUnknown = (problem: RequestProblem | null): boolean =>
  problem !== null && ['gone', connectionRemoved, keyDisconnected].includes(problem.code);

/** The state of a request and its run, as people see it. Times are epoch milliseconds. */
export const runProgressSchema = z.object({
  /** Step of the request. A newer version may have stored a step that this one doesn't know. */
  step: z.custom<RequestStep>(),
  createBeganAt: time,
  runId: z.string().nullable(),
  run: runSchema.nullable(),
  problem: requestProblemSchema.nullable(),
  /** Time to poll the run, in case no sweep reports a change. */
  nextPollAt: time,
  endedAt: time,
  /** Time of the question that blocks the run, by the service's clock. Null while the run needs no input. */
  blockedAt: time,
  /** Time when following stopped: *Stop updates*, or a week without changes. */
  unfollowedAt: time,
  /** Time of the last *Resume updates* on this request. */
  followedSince: time,
  /** Time of the first poll at which the service didn't know the run. Null while the service knows it. */
  missingSince: time,
  /** Notes about the start, such as a file that the agent doesn't get. Secrets are masked. */
  startNotes: z.array(z.string()).nullable(),
  /** Usual run durations in the request's environment, as of the run's creation. */
  usual: usualLengthsSchema.nullable(),
  /** Newest change of an ended run, by the service's clock. The run itself keeps its end time. */
  changeSeenAt: time,
});
export type RunProgress = z.infer<typeof runProgressSchema>;

/** State of the follower's own work on a request. Times are epoch milliseconds. */
export const followerStateSchema = z.object({
  failures: z.number(),
  /** Same time as `createBeganAt` by the service's clock, if that is known. */
  createBeganServiceAt: time,
  /** Times of the next tries to cancel the run and to publish its changes. */
  cancelRetryAt: time,
  publishRetryAt: time,
  /** ID of the answer that the service hasn't received yet. */
  pendingAnswer: z.string().nullable(),
  /** Newest change of the run that a sweep found and the follower hasn't applied yet. */
  pendingUpdate: runSchema.nullable(),
});
export type FollowerState = z.infer<typeof followerStateSchema>;
