import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { describeApi } from '../../src/api/openapi.ts';
import { shellEnvironment, startRunsService } from '../support/runs-service.ts';

describe('the OpenAPI document', () => {
  it('needs no key and lists every endpoint', async () => {
    const { service } = await startRunsService({ environments: [shellEnvironment('true')] });
    const answer = await fetch(`${service.apiUrl}/openapi.json`);
    expect(answer.status).toBe(200);
    const document = (await answer.json()) as ReturnType<typeof describeApi>;
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: service.apiUrl }]);
    expect(Object.keys(document.paths)).toEqual([
      '/agent/run',
      '/agent/runs',
      '/agent/runs/events',
      '/agent/runs/{runId}',
      '/agent/runs/{runId}/cancel',
      '/agent/runs/{runId}/session-link/revoke',
      '/agent/runs/{runId}/followups',
      '/agent/runs/{runId}/answers',
      '/agent/runs/{runId}/publish',
      '/agent/runs/{runId}/pull-request',
      '/agent/schedules',
      '/agent/schedules/{scheduleId}',
      '/agent/schedules/{scheduleId}/pause',
      '/agent/schedules/{scheduleId}/resume',
      '/agent/artifacts/{artifactUid}',
      '/agent/environments',
      '/agent/usage',
      '/agent',
    ]);
  });

  it('has a schema for every reference, and schemas that match the responses', async () => {
    const document = describeApi('http://x.test/api/v1');
    const { schemas } = document.components;
    const references = JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g);
    for (const [, name = ''] of references) expect(Object.keys(schemas)).toContain(name);

    const service = await startRunsService({ environments: [shellEnvironment('exit 1')] });
    const id = await service.begin({ prompt: 'x', metadata: { a: 'b' } });
    await service.until(id, 'FAILED');
    const made = await service.request('/agent/schedules', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'n', cron_schedule: '0 0 29 2 *', prompt: 'x' }),
    });
    const schedule = (await made.json()) as { id: string };
    const validator = new Ajv2020({ strict: false });
    const answers: [path: string, schema: object][] = [
      [`/agent/runs/${id}`, schemas.RunItem],
      ['/agent/runs', schemas.ListRunsResponse],
      [`/agent/schedules/${schedule.id}`, schemas.Schedule],
      ['/agent/schedules', schemas.Schedules],
      ['/agent/environments', schemas.Environments],
      ['/agent/usage?group_by=day', schemas.UsageReport],
      ['/agent', schemas.Agents],
      ['/agent/runs/none', schemas.Problem],
    ];
    for (const [path, schema] of answers) {
      const body = await (await service.request(path)).json();
      const fits = validator.compile(schema);
      expect([path, fits(body), fits.errors]).toEqual([path, true, null]);
    }
  });

  it('follows OpenAPI 3.1', () => {
    const { paths, components } = describeApi('http://x.test/api/v1');
    const validator = new Ajv2020({ strict: false });
    for (const [name, schema] of Object.entries(components.schemas))
      expect([name, validator.validateSchema(schema), validator.errors]).toEqual([
        name,
        true,
        null,
      ]);
    type Operation = {
      operationId: string;
      summary: string;
      parameters?: { name: string; in: string; required?: boolean; schema: object }[];
      responses: Record<string, { description: string }>;
    };
    const operationIds: string[] = [];
    for (const [path, operations] of Object.entries(
      paths as unknown as Record<string, Record<string, Operation>>,
    )) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { operationId, summary, parameters = [], responses } of Object.values(
        operations,
      )) {
        operationIds.push(operationId);
        expect(summary).not.toBe('');
        const keys = parameters.map((each) => `${each.in} ${each.name}`);
        expect(new Set(keys).size).toBe(keys.length);
        const inPath = parameters.filter((each) => each.in === 'path');
        expect(inPath.map(({ name }) => name)).toEqual(named);
        expect(inPath.every(({ required }) => required)).toBe(true);
        for (const { schema } of parameters) expect(validator.validateSchema(schema)).toBe(true);
        for (const [status, { description }] of Object.entries(responses)) {
          expect(status).toMatch(/^[1-5]\d\d$/);
          expect(description).not.toBe('');
        }
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '401', '429']));
      }
    }
    expect(operationIds).toHaveLength(22);
    expect(new Set(operationIds).size).toBe(operationIds.length);
    for (const id of operationIds) expect(id).toMatch(/^[a-z]+[A-Za-z]+$/);
  });

  it('lists the filters of the list endpoint', () => {
    const names = describeApi('').paths['/agent/runs'].get.parameters.map(({ name }) => name);
    for (const name of ['limit', 'cursor', 'state', 'q', 'created_after', 'sort_by', 'metadata'])
      expect(names).toContain(name);
  });
});
