import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CreateRunRequest, Run } from './contract.ts';

/** The run's metadata key that holds our own request id. */
export const requestIdKey = 'request_id';

/**
 * Everything needed to recognise, later and from another process, the run that a create may have made. Plain JSON, to
 * be stored; prompt and title are only there as hashes, since it travels with errors into logs.
 */
export const createAttemptSchema = z.object({
  requestId: z.string(),
  promptSha256: z.string(),
  titleSha256: z.string().optional(),
  /** The members of the configuration that a service gives back as they were asked for. */
  config: z.object({
    name: z.string().optional(),
    model_id: z.string().optional(),
    environment_id: z.string().optional(),
    skill_spec: z.string().optional(),
  }),
  /** The run cannot be older: epoch milliseconds by our own clock. */
  notBeforeMs: z.number(),
  /** When the last request that may have created the run was given up: epoch milliseconds by our own clock. */
  lastSentMs: z.number(),
  /** The same two by the service's clock, where that was known: ours may be set meanwhile. */
  notBeforeServiceMs: z.number().optional(),
  lastSentServiceMs: z.number().optional(),
});
export type CreateAttempt = z.infer<typeof createAttemptSchema>;

/** For a create that is about to be sent; `serviceNowMs` as `runs.serviceNowMs()` gives it. */
export function describeAttempt(
  request: CreateRunRequest,
  requestId: string,
  nowMs: number,
  serviceNowMs?: number,
): CreateAttempt {
  const { name, model_id, environment_id, skill_spec } = request.config ?? {};
  const asked = Object.entries({ name, model_id, environment_id, skill_spec });
  return {
    requestId,
    promptSha256: sha256(request.prompt),
    ...(request.title ? { titleSha256: sha256(request.title) } : {}),
    config: Object.fromEntries(asked.filter(([, value]) => value !== undefined)),
    notBeforeMs: nowMs,
    lastSentMs: nowMs,
    ...(serviceNowMs !== undefined && {
      notBeforeServiceMs: serviceNowMs,
      lastSentServiceMs: serviceNowMs,
    }),
  };
}

export type RunMatch = 'surely' | 'by content' | 'no';

/**
 * Whether the run is the one that the attempt asked for: surely, where the service gives metadata back; else by its
 * content, which another identical request may share.
 */
export function matchRun(attempt: CreateAttempt, run: Run): RunMatch {
  const requestId = run.metadata?.[requestIdKey];
  if (requestId !== undefined) return requestId === attempt.requestId ? 'surely' : 'no';
  // It keeps metadata, so ours would be there too.
  if (Object.keys(run.metadata ?? {}).length > 0) return 'no';
  return hasContentOf(attempt, run) ? 'by content' : 'no';
}

function hasContentOf(attempt: CreateAttempt, run: Run): boolean {
  if (sha256(run.prompt) !== attempt.promptSha256) return false;
  if (attempt.titleSha256 && sha256(run.title ?? '') !== attempt.titleSha256) return false;
  const resolved: Record<string, unknown> | null | undefined = run.agent_config;
  // A service that does not give the configuration back cannot contradict it.
  if (!resolved) return true;
  return Object.entries(attempt.config).every(([key, value]) => resolved[key] === value);
}

/** Same for two attempts that only metadata could tell apart. */
export function contentKey(attempt: CreateAttempt): string {
  return JSON.stringify([
    attempt.promptSha256,
    attempt.titleSha256,
    Object.entries(attempt.config),
  ]);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
