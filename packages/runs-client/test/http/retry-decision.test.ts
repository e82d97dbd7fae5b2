import { describe, expect, it } from 'vitest';
import { decideRetry } from '../../src/http/retry-decision.ts';
import { RunsApiError, type RunsApiErrorDetails } from '../../src/runs-api-error.ts';

const passing = { code: 'server_error', status: 503, retryable: true } as const;
const unsent = { code: 'connection', retryable: true, sent: false } as const;
const limited = { code: 'rate_limited', status: 429, retryable: true } as const;

function decide(
  details: Omit<RunsApiErrorDetails, 'message'>,
  changes: Partial<Parameters<typeof decideRetry>[0]> = {},
) {
  return decideRetry({
    error: new RunsApiError({ message: 'failed', ...details }),
    attempts: 1,
    maxRetries: 2,
    repeatable: true,
    remainingMs: 60_000,
    random: 0.5,
    ...changes,
  });
}

describe('the retry decision', () => {
  it.each([
    ['a passing failure of a repeatable request', passing, {}, 250],
    ['waits twice as long the second time', passing, { attempts: 2 }, 500],
    ['waits no longer than 8 s', passing, { attempts: 9, maxRetries: 9, random: 1 }, 8_000],
    ['waits as long as the service asks', { ...passing, retryAfterMs: 7_000 }, {}, 7_000],
    ['a request that never left, even if it is not repeatable', unsent, { repeatable: false }, 250],
    ['a rejection, even if the request is not repeatable', limited, { repeatable: false }, 250],
  ])('sends again: %s', (_, details, changes, delayMs) => {
    expect(decide(details, changes)).toEqual({ retry: true, delayMs });
  });

  it.each([
    ['the retries are used up', passing, { attempts: 3 }],
    ['retries are off', passing, { maxRetries: 0 }],
    ['it would fail again', { code: 'not_found', status: 404 } as const, {}],
    ['it may have had an effect and is not repeatable', passing, { repeatable: false }],
    [
      'it had any answer with a 5xx and is not repeatable',
      { ...passing, status: 500 },
      { repeatable: false },
    ],
    ['the service asks for more than a minute', { ...limited, retryAfterMs: 61_000 }, {}],
    ['the call would be out of time', passing, { remainingMs: 250 }],
  ])('gives up: %s', (_, details, changes) => {
    expect(decide(details, changes)).toEqual({ retry: false });
  });
});
