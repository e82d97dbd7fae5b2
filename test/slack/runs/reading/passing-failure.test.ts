import { RunsApiError } from 'runs-client/runs-api-error';
import { describe, expect, it } from 'vitest';
import { readPassingFailure } from '../../../../src/slack/configuration/connect.ts';

const failure = (details: Partial<ConstructorParameters<typeof RunsApiError>[0]>) =>
  new RunsApiError({ code: 'server_error', message: 'no', ...details });

describe('what failed while something that arrived was handled', () => {
  it.each([
    ['a rate limit', { code: 'rate_limited', retryable: true, retryAfterMs: 900 } as const, 900],
    ['a lost connection', { code: 'connection', retryable: true } as const, 0],
    ['a revoked key', { code: 'unauthorized' } as const, 0],
  ])('waits quietly after %s of the runs service', (_, details, retryAfterMs) => {
    expect(readPassingFailure(failure(details))).toEqual({ reason: details.code, retryAfterMs });
  });

  it('is an error otherwise', () => {
    expect(readPassingFailure(failure({ code: 'bad_response' }))).toBeUndefined();
    expect(readPassingFailure(new Error('a bug'))).toBeUndefined();
  });
});
