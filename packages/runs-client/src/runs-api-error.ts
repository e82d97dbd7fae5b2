import type { Problem } from './contract.ts';
import type { CreateAttempt } from './create-attempt.ts';

/** Error codes, one for each outcome that callers handle differently. The first ten stand for HTTP statuses. */
export type RunsApiErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'budget_exceeded'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'unprocessable'
  | 'rate_limited'
  | 'client_error'
  | 'server_error'
  /** The deadline of the call passed. */
  | 'timeout'
  /** The service couldn't be reached, or the connection broke. */
  | 'connection'
  /** The response doesn't match the contract. */
  | 'bad_response'
  /**
   * The response to a create request was lost, so a run may exist. Pass `attempt` to `runs.findCreated` to search
   * again.
   */
  | 'ambiguous'
  /** The client rejected the request and sent nothing. */
  | 'invalid_request'
  /** The client was closed before or during the call. */
  | 'closed';

export type RunsApiErrorDetails = {
  code: RunsApiErrorCode;
  message: string;
  status?: number | undefined;
  problem?: Problem | undefined;
  retryable?: boolean | undefined;
  retryAfterMs?: number | undefined;
  requestId?: string | undefined;
  authUrl?: string | undefined;
  sent?: boolean | undefined;
  attempt?: CreateAttempt | undefined;
  cause?: unknown;
};

/** An error of the runs client. Its message never contains the key or a prompt. */
export class RunsApiError extends Error {
  override readonly name = 'RunsApiError';
  readonly code: RunsApiErrorCode;
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  readonly problem: Problem | undefined;
  /** True if the same call may succeed later. */
  readonly retryable: boolean;
  /** Wait that the service requests before a retry, in ms. */
  readonly retryAfterMs: number | undefined;
  /** Request ID from the service. The service's operators can look it up. */
  readonly requestId: string | undefined;
  /** URL at which a person can grant the missing authorization. */
  readonly authUrl: string | undefined;
  /** False if the request certainly never reached the service. */
  readonly sent: boolean;
  readonly attempt: CreateAttempt | undefined;

  constructor(details: RunsApiErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.status = details.status;
    this.problem = details.problem;
    this.retryable = details.retryable ?? false;
    this.retryAfterMs = details.retryAfterMs;
    this.requestId = details.requestId;
    this.authUrl = details.authUrl;
    this.sent = details.sent ?? true;
    this.attempt = details.attempt;
  }
}
