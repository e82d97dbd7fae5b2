import type { Problem } from './contract.ts';
import type { CreateAttempt } from './create-attempt.ts';

/**
 * What went wrong, one code per outcome that a caller would treat differently.
 * The first nine are statuses of the service; the others say why there is no usable answer.
 */
export type RunsApiErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'unprocessable'
  | 'rate_limited'
  | 'client_error'
  | 'server_error'
  /** The deadline of the call has passed. */
  | 'timeout'
  /** The service could not be reached, or the connection broke. */
  | 'connection'
  /** There was an answer that is not what the contract says. */
  | 'bad_response'
  /** A create whose answer was lost: a run may exist. `attempt` is what `runs.findCreated` needs to look again. */
  | 'ambiguous'
  /** Refused by the client: nothing was sent. */
  | 'invalid_request'
  /** The client was closed. */
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

/** The one error of the runs API client. Never holds the key or a prompt. */
export class RunsApiError extends Error {
  override readonly name = 'RunsApiError';
  readonly code: RunsApiErrorCode;
  /** HTTP status, when there was an answer. */
  readonly status: number | undefined;
  readonly problem: Problem | undefined;
  /** Whether the same call may succeed a moment later. */
  readonly retryable: boolean;
  /** How long the service asked to wait. */
  readonly retryAfterMs: number | undefined;
  /** The service's own id of the exchange, for its operators. */
  readonly requestId: string | undefined;
  /** Where a person can give the missing authorization. */
  readonly authUrl: string | undefined;
  /** Whether the request may have reached the service. `false` is proof that it did nothing. */
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
