import { parseJson } from 'base/parse-json';
import { z } from 'zod';
import type { ListPosition, RunListQuery } from '../../store/run-filter.ts';
import { ApiProblem } from '../problem.ts';
import { assertSupported } from '../read-request.ts';

const maxLimit = 500;
const instant = z.iso
  .datetime({ offset: true, error: 'must be an RFC 3339 timestamp such as 2026-01-31T09:30:00Z' })
  .transform((text) => Date.parse(text));

export const listQuerySchema = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .transform((limit) => Math.min(limit, maxLimit))
    .default(20),
  cursor: z.string().optional(),
  name: z.string().optional(),
  config_name: z.string().optional(),
  model_id: z.string().optional(),
  creator: z.string().optional(),
  source: z.string().optional(),
  environment_id: z.string().optional(),
  skill_spec: z.string().optional(),
  created_after: instant.optional(),
  created_before: instant.optional(),
  updated_after: instant.optional(),
  q: z.string().optional(),
  sort_by: z.enum(['updated_at', 'created_at', 'title']).default('updated_at'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
});

const text = z.string().refine((given) => !given.includes('\0'));
const cursorSchema = z.tuple([
  z.string(),
  z.string(),
  z.union([text, z.number().int()]),
  text,
  z.number().int(),
]);

type Sorting = Pick<RunListQuery, 'sortBy' | 'sortOrder'>;

export function writeCursor(position: ListPosition, { sortBy, sortOrder }: Sorting): string {
  const parts = [sortBy, sortOrder, position.key, position.id, position.snapshot];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

function readCursor(cursor: string, { sortBy, sortOrder }: Sorting): ListPosition {
  const content = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'));
  const read = cursorSchema.safeParse(content);
  const keyType = sortBy === 'title' ? 'string' : 'number';
  const isValid =
    read.success &&
    read.data[0] === sortBy &&
    read.data[1] === sortOrder &&
    typeof read.data[2] === keyType;
  if (!isValid)
    throw new ApiProblem(
      'invalid_request',
      "cursor: doesn't belong to a list with this sort order. Start again without a cursor.",
    );
  const [, , key, id, snapshot] = read.data;
  return { key, id, snapshot };
}

const metadataKey = /^metadata\[(.+)\]$/;

const isFilter = (name: string) =>
  name === 'state' || Object.hasOwn(listQuerySchema.shape, name) || metadataKey.test(name);

/**
 * Reads the query parameters of a request for a list of runs.
 * @throws ApiProblem that names the invalid or unknown parameter
 */
export function readListQuery(parameters: URLSearchParams): RunListQuery {
  assertSupported(parameters, isFilter, (name) => name === 'state');
  const read = listQuerySchema.safeParse(
    Object.fromEntries([...parameters].filter(([, value]) => value !== '')),
  );
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new ApiProblem('invalid_request', `${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { limit, cursor, sort_by: sortBy, sort_order: sortOrder, ...given } = read.data;
  const states = parameters.getAll('state').filter(Boolean);
  const metadata = [...parameters].flatMap(([name, value]) => {
    const key = metadataKey.exec(name)?.[1];
    return key === undefined ? [] : [[key, value] as const];
  });
  const named = {
    states: states.length > 0 ? states : undefined,
    configName: given.name ?? given.config_name,
    modelId: given.model_id,
    creatorUid: given.creator,
    source: given.source,
    environmentId: given.environment_id,
    skillSpec: given.skill_spec,
    createdAfter: given.created_after,
    createdBefore: given.created_before,
    updatedAfter: given.updated_after,
    search: given.q,
  };
  const filter = Object.fromEntries(
    Object.entries(named).filter(([, value]) => value !== undefined),
  ) as RunListQuery['filter'];
  if (metadata.length > 0) filter.metadata = Object.fromEntries(metadata);
  const after = cursor === undefined ? undefined : readCursor(cursor, { sortBy, sortOrder });
  return { filter, sortBy, sortOrder, limit, after };
}
