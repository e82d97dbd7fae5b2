import type { Problem } from 'runs-client/contract';

/** Problem codes of this service and their HTTP statuses. */
export const statuses = {
  invalid_request: 400,
  already_ended: 400,
  question_closed: 409,
  authentication_required: 401,
  not_authorized: 403,
  resource_not_found: 404,
  not_ended: 409,
  conflict: 409,
  request_too_large: 413,
  unsupported_media_type: 415,
  cannot_be_processed: 422,
  rate_limited: 429,
  internal_error: 500,
} as const;
export type ProblemCode = keyof typeof statuses;

const titles: Record<ProblemCode, string> = {
  invalid_request: 'Invalid request',
  already_ended: 'The run has already ended',
  question_closed: 'The question is closed',
  authentication_required: 'Valid API key required',
  not_authorized: 'Not allowed',
  resource_not_found: 'Not found',
  not_ended: 'The run is still active',
  conflict: 'Conflict',
  request_too_large: 'Request too large',
  unsupported_media_type: 'Unsupported content type',
  cannot_be_processed: "Request can't be processed",
  rate_limited: 'Too many requests',
  internal_error: 'Internal error',
};

/** The same request may succeed later. */
const passing: readonly ProblemCode[] = ['not_ended', 'conflict', 'rate_limited', 'internal_error'];

/** Thrown by routes; the error handler turns it into a response. `detail` says what to do next. */
export class ApiProblem extends Error {
  readonly code: ProblemCode;
  readonly headers: Record<string, string>;

  constructor(code: ProblemCode, detail: string, headers: Record<string, string> = {}) {
    super(detail);
    this.name = 'ApiProblem';
    this.code = code;
    this.headers = headers;
  }
}

/** RFC 7807 with the extensions of the runs API. */
export function problemResponse(problem: ApiProblem, instance: string, traceId: string): Response {
  const status = statuses[problem.code];
  const body: Problem = {
    error: problem.message,
    status,
    title: titles[problem.code],
    type: `urn:slash-agent:problem:${problem.code}`,
    detail: problem.message,
    instance,
    retryable: passing.includes(problem.code),
    trace_id: traceId,
  };
  const headers = { ...problem.headers, 'content-type': 'application/problem+json' };
  return new Response(JSON.stringify(body), { status, headers });
}
