import type { Problem } from 'runs-client/contract';

/** Problem codes of this service, with their HTTP statuses. */
const problems = {
  invalid_request: { status: 400, title: 'Invalid request' },
  already_ended: { status: 400, title: 'The run has already ended' },
  request_timeout: { status: 408, title: 'Request took too long' },
  question_closed: { status: 409, title: 'The question is closed' },
  authentication_required: { status: 401, title: 'Valid API key required' },
  budget_exceeded: { status: 402, title: 'A spending cap is used up' },
  not_authorized: { status: 403, title: 'Not allowed' },
  resource_not_found: { status: 404, title: 'Not found' },
  not_ended: { status: 409, title: 'The run is still active' },
  conflict: { status: 409, title: 'Conflict' },
  request_too_large: { status: 413, title: 'Request too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported content type' },
  cannot_be_processed: { status: 422, title: "Request can't be processed" },
  headers_too_large: { status: 431, title: 'Headers too large' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Internal error' },
} as const;
export type ProblemCode = keyof typeof problems;

/** Header with the ID of a request, which is also in the log. */
export const requestIdHeader = 'x-request-id';

/** Codes of problems after which the same request can succeed later. */
const transientProblems: readonly ProblemCode[] = [
  'request_timeout',
  'not_ended',
  'conflict',
  'rate_limited',
  'internal_error',
];

/** Problem that a route throws. The error handler turns it into a response. `detail` says what to do next. */
export class ApiProblem extends Error {
  readonly code: ProblemCode;
  readonly status: (typeof problems)[ProblemCode]['status'];
  readonly title: string;
  readonly headers: Record<string, string>;

  constructor(code: ProblemCode, detail: string, headers: Record<string, string> = {}) {
    super(detail);
    this.name = 'ApiProblem';
    this.code = code;
    this.status = problems[code].status;
    this.title = problems[code].title;
    this.headers = headers;
  }
}

/** Describes a problem as in RFC 7807, with the runs API's extensions. */
function describeProblem(problem: ApiProblem, instance: string, requestId: string): Problem {
  const { status } = problem;
  return {
    error: problem.message,
    status,
    title: problem.title,
    type: `urn:slash-agent:problem:${problem.code}`,
    detail: problem.message,
    instance,
    retryable: transientProblems.includes(problem.code),
    trace_id: requestId,
  };
}

const problemType = 'application/problem+json';

export function problemResponse(
  problem: ApiProblem,
  instance: string,
  requestId: string,
): Response {
  const { status } = problem;
  const headers = { ...problem.headers, 'content-type': problemType };
  const body = JSON.stringify(describeProblem(problem, instance, requestId));
  return new Response(body, { status, headers });
}

/** Returns the whole HTTP response as text, for requests that Node can't parse. */
export function rawProblemResponse(problem: ApiProblem, requestId: string): string {
  const body = JSON.stringify(describeProblem(problem, '/', requestId));
  const lines = [
    `HTTP/1.1 ${problem.status} ${problems[problem.code].title}`,
    `content-type: ${problemType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `${requestIdHeader}: ${requestId}`,
    'connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
