import type { Problem } from 'runs-client/contract';

/** The codes of problem details that this service answers with; each has one status. */
const statuses = {
  invalid_request: 400,
  already_ended: 400,
  authentication_required: 401,
  not_authorized: 403,
  resource_not_found: 404,
  operation_not_supported: 405,
  conflict: 409,
  request_too_large: 413,
  unsupported_media_type: 415,
  cannot_be_processed: 422,
  rate_limited: 429,
  internal_error: 500,
  resource_unavailable: 503,
} as const;
export type ProblemCode = keyof typeof statuses;

const titles: Record<ProblemCode, string> = {
  invalid_request: 'The request is malformed',
  already_ended: 'The run has already ended',
  authentication_required: 'A valid API key is needed',
  not_authorized: 'This key may not do that',
  resource_not_found: 'There is no such thing here',
  operation_not_supported: 'This method is not offered here',
  conflict: 'Try again in a moment',
  request_too_large: 'The request is too large',
  unsupported_media_type: 'The content type is not supported',
  cannot_be_processed: 'The request cannot be processed',
  rate_limited: 'Too many requests',
  internal_error: 'The service failed',
  resource_unavailable: 'The service is not available',
};

/** Thrown by routes, answered as problem details by the one error handler. `detail` says what to do next. */
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
    retryable: status === 409 || status === 429 || status >= 500,
    trace_id: traceId,
  };
  const headers = { ...problem.headers, 'content-type': 'application/problem+json' };
  return new Response(JSON.stringify(body), { status, headers });
}
