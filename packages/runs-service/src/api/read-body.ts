import type { z } from 'zod';
import { ApiProblem } from './problem.ts';

/** @throws ApiProblem that names every invalid member; 422 if all of them are only too long */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const { issues } = read.error;
  const isOnlySize = issues.every(({ code }) => code === 'too_big');
  throw new ApiProblem(
    isOnlySize ? 'cannot_be_processed' : 'invalid_request',
    issues.slice(0, maxNamed).flatMap(describe).join('; '),
  );
}

/** A body can have thousands of mistakes. */
const maxNamed = 10;

function describe(issue: z.core.$ZodIssue): string[] {
  const path = (...more: string[]) =>
    [...issue.path, ...more].map((part) => String(part).slice(0, 100)).join('.') || 'body';
  if (issue.code !== 'unrecognized_keys') return [`${path()}: ${issue.message}`];
  return issue.keys
    .slice(0, maxNamed)
    .map((key) => `${path(key)}: isn't supported by this service`);
}
