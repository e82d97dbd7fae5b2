import { createLogger } from 'base/logger';
import { Hono } from 'hono';
import OzAPI from 'oz-agent-sdk';
import type { RunsApiErrorCode } from 'runs-client/runs-api-error';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testClient } from '../../../runs-client/test/support/api-server.ts';
import { createRunsApp } from '../../src/api/app.ts';
import type { CallerVariables } from '../../src/api/keys/authentication.ts';
import { listen } from '../../src/api/listen.ts';
import { ApiProblem, type ProblemCode } from '../../src/api/problem.ts';
import { testKey } from '../support/runs-service.ts';

/** Errors of our client and of the SDK for each problem. The type makes sure that new problems are added. */
const problems: Record<
  ProblemCode,
  [RunsApiErrorCode, retryable: boolean, sdk: abstract new (...parts: never[]) => Error]
> = {
  invalid_request: ['bad_request', false, OzAPI.BadRequestError],
  already_ended: ['bad_request', false, OzAPI.BadRequestError],
  question_closed: ['conflict', false, OzAPI.ConflictError],
  authentication_required: ['unauthorized', false, OzAPI.AuthenticationError],
  budget_exceeded: ['budget_exceeded', false, OzAPI.APIError],
  not_authorized: ['forbidden', false, OzAPI.PermissionDeniedError],
  resource_not_found: ['not_found', false, OzAPI.NotFoundError],
  request_timeout: ['client_error', true, OzAPI.APIError],
  headers_too_large: ['client_error', false, OzAPI.APIError],
  not_ended: ['conflict', true, OzAPI.ConflictError],
  conflict: ['conflict', true, OzAPI.ConflictError],
  request_too_large: ['client_error', false, OzAPI.APIError],
  unsupported_media_type: ['client_error', false, OzAPI.APIError],
  cannot_be_processed: ['unprocessable', false, OzAPI.UnprocessableEntityError],
  rate_limited: ['rate_limited', true, OzAPI.RateLimitError],
  internal_error: ['server_error', true, OzAPI.InternalServerError],
};

describe('a problem of the service becomes the right error of our client and the SDK', () => {
  it.each(Object.entries(problems))('%s is %j', async (problem, [code, retryable, sdkError]) => {
    const routes = new Hono<{ Variables: CallerVariables }>();
    routes.get('/agent/runs/:id', () => {
      throw new ApiProblem(problem as ProblemCode, 'Because.', { 'retry-after': '9' });
    });
    const creator = { type: 'user', uid: 'ada', display_name: 'Ada' } as const;
    const authenticate = async () => ({ role: 'own', creator }) as const;
    const logger = createLogger('silent');
    const app = createRunsApp({ authenticate, api: [routes], open: [], logger });
    const server = await listen(app, '127.0.0.1', 0);
    onTestFinished(() => server.close());
    const baseUrl = `http://127.0.0.1:${server.port}/api/v1`;
    const client = testClient(baseUrl, { apiKey: testKey, maxRetries: 0 });
    await expect(client.runs.get('r')).rejects.toMatchObject({
      code,
      retryable,
      retryAfterMs: 9_000,
      problem: { detail: 'Because.', type: expect.stringMatching(new RegExp(`${problem}$`)) },
    });
    const sdk = new OzAPI({ baseURL: baseUrl, apiKey: testKey, maxRetries: 0 });
    await expect(sdk.agent.runs.retrieve('r')).rejects.toBeInstanceOf(sdkError);
  });
});
