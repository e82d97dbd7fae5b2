import { RunsApiError } from '../runs-api-error.ts';

/** undici and Node put the reason into `code`, sometimes one `cause` deeper. */
function readCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return readCode(error.cause);
}

const closedCodes = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);
const refusedCodes = new Set(['UND_ERR_INVALID_ARG', 'ERR_INVALID_CHAR']);

/** `sent: false` means that the request provably never left. */
export function describeConnectionFailure(error: unknown, sent: boolean): RunsApiError {
  const reason = readCode(error) || (error instanceof Error ? error.name : 'unknown');
  if (closedCodes.has(reason)) {
    const message = 'the runs client was closed; create a new one';
    return new RunsApiError({ code: 'closed', message, sent, cause: error });
  }
  if (refusedCodes.has(reason)) {
    const message = 'HTTP forbids this header or path; nothing was sent';
    return new RunsApiError({ code: 'invalid_request', message, sent: false });
  }
  const what = sent ? 'the connection to the runs API broke' : "the runs API can't be reached";
  const message = `${what} (${reason}); check its base URL and that the service is up`;
  return new RunsApiError({ code: 'connection', message, retryable: true, sent, cause: error });
}
