import { Hono } from 'hono';
import { artifactSchema } from 'runs-client/artifact';
import {
  answerRequestSchema,
  createRunResponseSchema,
  listAgentsResponseSchema,
  listEnvironmentsResponseSchema,
  listRunsResponseSchema,
  problemSchema,
  runSchema,
} from 'runs-client/contract';
import { publishRunRequestSchema, pullRequestActionSchema } from 'runs-client/publication';
import { runChangeSchema } from 'runs-client/run-change';
import {
  deletedScheduleSchema,
  listSchedulesResponseSchema,
  scheduleSchema,
} from 'runs-client/schedule';
import { usageReportSchema } from 'runs-client/usage-report';
import { z } from 'zod';
import {
  answer,
  content,
  filtered,
  idempotencyKey,
  problem,
  reading,
  sending,
  writing,
} from './openapi-answers.ts';
import { requestIdHeader } from './problem.ts';
import { serviceCreateSchema } from './runs/create-request.ts';
import { listQuerySchema } from './runs/read-list-query.ts';
import { followUpSchema } from './runs/run-control.ts';
import { schedulePaths } from './schedules/schedule-openapi.ts';
import { serviceScheduleSchema } from './schedules/schedule-request.ts';
import { usageQuerySchema } from './usage-routes.ts';

const jsonSchema = (schema: z.ZodType) => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
};

const notFound = problem('Run not found');
const ended = problem('The run has ended');
const runId = { name: 'runId', in: 'path', required: true, schema: { type: 'string' } };

function parametersOf(schema: z.ZodType) {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, each]) => ({ name, in: 'query', schema: each }));
}

function queryParameters() {
  const named = parametersOf(listQuerySchema);
  const state = { type: 'array', items: { type: 'string' } };
  const metadata = { type: 'object', additionalProperties: { type: 'string' } };
  return [
    ...named,
    { name: 'state', in: 'query', description: 'One of these.', explode: true, schema: state },
    { name: 'metadata', in: 'query', style: 'deepObject', explode: true, schema: metadata },
  ];
}

const create = (operationId: string, summary: string) => ({
  operationId,
  summary,
  parameters: [
    idempotencyKey('Returns the same run for the same key and body. Rejects another body.'),
  ],
  requestBody: { required: true, content: content('RunAgentRequest') },
  responses: {
    ...sending,
    200: answer('RunAgentResponse', 'The run'),
    402: problem('A spending cap is used up. The detail says when it resets'),
    422: problem("A field is too long, or the environment doesn't exist"),
  },
});

const events = {
  operationId: 'followRuns',
  summary: 'Follow changes of runs as server-sent events.',
  description:
    'A `change` names a run that has changed. It may come twice or out of order: read the run, or a list. A `reset` says that changes may be missing: list runs. A stream without Last-Event-ID begins with one. A comment comes after five seconds without an event.',
  parameters: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      description: 'Continues after this event.',
      schema: { type: 'string' },
    },
  ],
  responses: {
    ...reading,
    200: {
      description: 'The data of a `change`; the data of a `reset` is an empty object.',
      content: { 'text/event-stream': { schema: { $ref: '#/components/schemas/RunChange' } } },
    },
  },
};

const done = (schema: object) => ({
  description: 'Done',
  content: { 'application/json': { schema } },
});

/** OpenAPI paths of the operations on one run. */
const actions = {
  '/agent/runs/{runId}/cancel': {
    post: {
      operationId: 'cancelRun',
      summary: 'Cancel a run.',
      parameters: [runId],
      responses: { ...writing, 200: done({ type: 'string' }), 400: ended, 404: notFound },
    },
  },
  '/agent/runs/{runId}/session-link/revoke': {
    post: {
      operationId: 'revokeSessionLink',
      summary: 'Replace the session link. The old one stops working.',
      parameters: [runId],
      responses: { ...writing, 200: answer('RunItem', 'The run'), 404: notFound },
    },
  },
  '/agent/runs/{runId}/followups': {
    post: {
      operationId: 'sendFollowUp',
      summary: 'Send a follow-up to an active or queued run.',
      parameters: [runId, idempotencyKey('A message is delivered once per key.')],
      requestBody: { required: true, content: content('FollowUp') },
      responses: { ...sending, 200: done({ type: 'object' }), 404: notFound },
    },
  },
  '/agent/runs/{runId}/answers': {
    post: {
      operationId: 'answerQuestion',
      summary: "Answer an agent's question. Exactly one answer counts.",
      parameters: [runId, idempotencyKey('A repeated answer with this key has no effect.')],
      requestBody: { required: true, content: content('Answer') },
      responses: {
        ...sending,
        200: done({ type: 'object' }),
        404: notFound,
        409: problem('The question was answered or has expired'),
      },
    },
  },
  '/agent/runs/{runId}/publish': {
    post: {
      operationId: 'publishRun',
      summary: 'Push the changes of an ended run, and open or update its pull request.',
      description:
        'Answers before publishing is done. To see the progress, poll `publication` of the run. Repeating a request has no effect, except after a failure.',
      parameters: [runId],
      requestBody: { required: true, content: content('PublishRun') },
      responses: {
        ...sending,
        200: answer('RunItem', 'The run'),
        404: notFound,
        409: problem('The run is still active'),
        422: problem("There is nothing to publish, or the environment doesn't publish"),
      },
    },
  },
  '/agent/runs/{runId}/pull-request': {
    post: {
      operationId: 'changePullRequest',
      summary: "Update the branch of the run's pull request, mark it as ready, or merge it.",
      description:
        'Answers before the action is done. To see the progress, poll `publication` of the run; its `actions` lists what helps now. Can be repeated. Merging needs `publish.merge` in the environment, and merges only what the service last saw.',
      parameters: [runId],
      requestBody: { required: true, content: content('PullRequestAction') },
      responses: {
        ...sending,
        200: answer('RunItem', 'The run'),
        404: notFound,
        409: problem('Another action on the pull request is in progress'),
        422: problem("There is no pull request, or this can't be done with it"),
      },
    },
  },
};

/** Describes the API as an OpenAPI 3.1 document, from the schemas that the service uses. */
export function describeApi(serverUrl: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cloud Agent Runs API',
      version: '1',
      description: `Every response has an ${requestIdHeader}, which the service's log has too. One that comes with the request is kept.`,
    },
    servers: [{ url: serverUrl }],
    security: [{ key: [] }],
    paths: {
      '/agent/run': { post: create('createRun', 'Create a run. Answers before the agent starts.') },
      '/agent/runs': {
        post: create('createRunInList', 'Create a run, like POST /agent/run.'),
        get: {
          operationId: 'listRuns',
          summary: 'List runs.',
          parameters: queryParameters(),
          responses: { ...filtered, 200: answer('ListRunsResponse', 'A page') },
        },
      },
      '/agent/runs/events': { get: events },
      '/agent/runs/{runId}': {
        get: {
          operationId: 'getRun',
          summary: 'Get a run.',
          parameters: [runId],
          responses: { ...reading, 200: answer('RunItem', 'Found'), 404: notFound },
        },
      },
      ...actions,
      ...schedulePaths,
      '/agent/artifacts/{artifactUid}': {
        get: {
          operationId: 'getArtifact',
          summary: 'Get an artifact. Its `download_url` needs no key and works for 15 minutes.',
          parameters: [{ ...runId, name: 'artifactUid' }],
          responses: {
            ...reading,
            200: answer('Artifact', 'Found'),
            404: problem('Artifact not found'),
          },
        },
      },
      '/agent/environments': {
        get: {
          operationId: 'listEnvironments',
          summary: 'List environments.',
          responses: { ...filtered, 200: answer('Environments', 'All') },
        },
      },
      '/agent/usage': {
        get: {
          operationId: 'getUsage',
          summary: 'Get cost and tokens of model calls, of the runs that the key sees.',
          parameters: parametersOf(usageQuerySchema),
          responses: { ...filtered, 200: answer('UsageReport', 'The sums') },
        },
      },
      '/agent': {
        get: {
          operationId: 'listAgents',
          summary: 'List skills.',
          parameters: [
            {
              name: 'repo',
              in: 'query',
              description: 'Only skills of this `owner/repo`.',
              schema: { type: 'string' },
            },
          ],
          responses: { ...filtered, 200: answer('Agents', 'All') },
        },
      },
    },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: schemas(),
    },
  };
}

const schemas = () => ({
  RunAgentRequest: jsonSchema(serviceCreateSchema),
  RunAgentResponse: jsonSchema(createRunResponseSchema),
  ListRunsResponse: jsonSchema(listRunsResponseSchema),
  RunItem: jsonSchema(runSchema),
  RunChange: jsonSchema(runChangeSchema),
  FollowUp: jsonSchema(followUpSchema),
  Answer: jsonSchema(answerRequestSchema),
  PublishRun: jsonSchema(publishRunRequestSchema),
  PullRequestAction: jsonSchema(pullRequestActionSchema),
  ScheduleRequest: jsonSchema(serviceScheduleSchema),
  Schedule: jsonSchema(scheduleSchema),
  Schedules: jsonSchema(listSchedulesResponseSchema),
  DeletedSchedule: jsonSchema(deletedScheduleSchema),
  Artifact: jsonSchema(artifactSchema),
  Environments: jsonSchema(listEnvironmentsResponseSchema),
  Agents: jsonSchema(listAgentsResponseSchema),
  UsageReport: jsonSchema(usageReportSchema),
  Problem: jsonSchema(problemSchema),
});

export function createOpenapiRoutes(serverUrl: () => string): Hono {
  return new Hono().get('/api/v1/openapi.json', (context) =>
    context.json(describeApi(serverUrl())),
  );
}
