import { RunsApiError } from 'runs-client/runs-api-error';
import { expect, it } from 'vitest';
import { readFailure } from '../../src/following/runs-port.ts';

it('masks secrets that the service repeats when it explains a failure', () => {
  const detail = `mcp_servers.docs.url: ghp_${'eCh0ed'.repeat(6)} isn't a URL`;
  const problem = { title: 'Invalid request', detail };
  const error = new RunsApiError({ code: 'unprocessable', message: 'no', problem });
  expect(readFailure(error).message).toBe("mcp_servers.docs.url: [masked secret 1] isn't a URL");
});
