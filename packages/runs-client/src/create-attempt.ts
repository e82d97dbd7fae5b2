import { createHash } from 'node:crypto';
import type { CreateRunRequest, Run } from './contract.ts';

/** Metadata key under which a run stores its request ID. */
export const requestIdKey = 'request_id';

/**
 * Describes a request to create a run, so that the run can be found later and in another process. The attempt is plain
 * JSON. Prompt and title are hashed, because errors carry the attempt into logs.
 */
export type CreateAttempt = {
  requestId: string;
  promptSha256: string;
  titleSha256?: string | undefined;
  /** Members of the configuration that services return unchanged. */
  config: Partial<Record<'name' | 'model_id' | 'environment_id' | 'skill_spec', string>>;
  /** Earliest time of the run's creation, in epoch ms by the local clock. */
  notBeforeMs: number;
  /** End of the last request that may have created the run, in epoch ms by the local clock. */
  lastSentMs: number;
  /**
   * Values of `notBeforeMs` and `lastSentMs` by the service's clock, if known. The local clock may change meanwhile.
   */
  notBeforeServiceMs?: number | undefined;
  lastSentServiceMs?: number | undefined;
};

/** Describes a create request that is about to be sent. Pass `runs.serviceNowMs()` as `serviceNowMs`. */
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
 * Compares a run with an attempt. Returns `surely` if the request ID matches. Returns `by content` if only prompt,
 * title and configuration could be compared. Then the run may belong to another request.
 */
export function matchRun(attempt: CreateAttempt, run: Run): RunMatch {
  const requestId = run.metadata?.[requestIdKey];
  if (requestId !== undefined) return requestId === attempt.requestId ? 'surely' : 'no';
  // Reject a run that has metadata but no request ID. The service keeps metadata, so this attempt's run would have
  // the ID.
  if (Object.keys(run.metadata ?? {}).length > 0) return 'no';
  return hasContentOf(attempt, run) ? 'by content' : 'no';
}

function hasContentOf(attempt: CreateAttempt, run: Run): boolean {
  if (sha256(run.prompt) !== attempt.promptSha256) return false;
  if (attempt.titleSha256 && sha256(run.title ?? '') !== attempt.titleSha256) return false;
  const resolved: Record<string, unknown> | null | undefined = run.agent_config;
  // Accept a run without a configuration, because some services don't return it.
  if (!resolved) return true;
  return Object.entries(attempt.config).every(([key, value]) => resolved[key] === value);
}

/** Returns a text that is the same for all attempts with the same prompt, title and configuration. */
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
