import { createHash } from 'node:crypto';
import type { CreateRunRequest, Run } from './contract.ts';

/** The metadata key of a run that holds the request id. */
export const requestIdKey = 'request_id';

/**
 * Identifies the run that a create may have made, later and from another process. It's plain JSON to store.
 * Prompt and title are hashed, because errors carry it into logs.
 */
export type CreateAttempt = {
  requestId: string;
  promptSha256: string;
  titleSha256?: string | undefined;
  /** The members of the configuration that services return unchanged. */
  config: Partial<Record<'name' | 'model_id' | 'environment_id' | 'skill_spec', string>>;
  /** The run can't be older: epoch milliseconds by the local clock. */
  notBeforeMs: number;
  /** Time at which the last request that may have created the run was given up: epoch milliseconds by the local clock. */
  lastSentMs: number;
  /** The same two by the service's clock, if known: the local clock may change meanwhile. */
  notBeforeServiceMs?: number | undefined;
  lastSentServiceMs?: number | undefined;
};

/** Describes a create that is about to be sent. Take `serviceNowMs` from `runs.serviceNowMs()`. */
export function describeAttempt(
  request: CreateRunRequest,
  requestId: string,
  nowMs: number,
  serviceNowMs?: number,
): CreateAttempt {
  const { name, model_id, environment_id, skill_spec: other } = request.config ?? {};
  const skill_spec = request.skill ?? other;
  const members = Object.entries({ name, model_id, environment_id, skill_spec });
  return {
    requestId,
    promptSha256: sha256(request.prompt ?? ''),
    ...(request.title ? { titleSha256: sha256(request.title) } : {}),
    config: Object.fromEntries(members.filter(([, value]) => value !== undefined)),
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
 * Compares a run with an attempt: `surely` if the service returns metadata; otherwise `by content`, which an identical
 * request shares.
 */
export function matchRun(attempt: CreateAttempt, run: Run): RunMatch {
  const requestId = run.metadata?.[requestIdKey];
  if (requestId !== undefined) return requestId === attempt.requestId ? 'surely' : 'no';
  // The service keeps metadata, so the request id would be there too.
  if (Object.keys(run.metadata ?? {}).length > 0) return 'no';
  return hasContentOf(attempt, run) ? 'by content' : 'no';
}

function hasContentOf(attempt: CreateAttempt, run: Run): boolean {
  if (sha256(run.prompt) !== attempt.promptSha256) return false;
  if (attempt.titleSha256 && sha256(run.title ?? '') !== attempt.titleSha256) return false;
  const resolved: Record<string, unknown> | null | undefined = run.agent_config;
  // The service may not return the configuration.
  if (!resolved) return true;
  return Object.entries(attempt.config).every(([key, value]) => resolved[key] === value);
}

/** The same key for attempts that differ only in metadata. */
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
