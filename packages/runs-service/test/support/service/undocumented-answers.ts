import { expect } from 'vitest';
import type { OnAnswer } from '../../../src/api/app.ts';
import { describeApi } from '../../../src/api/openapi.ts';

type Operations = Record<string, { operationId: string; responses: object }>;

/** Documented statuses by method and route, such as `GET /api/v1/agent/runs/:`. */
const documentedAnswers = new Map(
  Object.entries(describeApi('').paths).flatMap(([path, operations]) =>
    Object.entries(operations as unknown as Operations).map(([method, { responses }]) => [
      `${method.toUpperCase()} /api/v1${path.replaceAll(/\{\w+\}/g, ':')}`,
      Object.keys(responses).map(Number),
    ]),
  ),
);

/** Compares a service's responses with its OpenAPI document. */
export function watchAnswers(): { onAnswer: OnAnswer; expectDocumented: () => void } {
  const undocumented: string[] = [];
  return {
    onAnswer({ method, route, status }) {
      const operation = `${method === 'HEAD' ? 'GET' : method} ${route.replaceAll(/:\w+/g, ':')}`;
      const statuses = documentedAnswers.get(operation);
      if (statuses && !statuses.includes(status)) undocumented.push(`${operation} ${status}`);
    },
    expectDocumented: () => expect(undocumented).toEqual([]),
  };
}
