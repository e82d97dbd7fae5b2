import { ApiProblem } from '../../api/problem.ts';
import { readListQuery } from '../../api/runs/read-list-query.ts';
import type { RunListQuery } from '../../store/run-filter.ts';
import type { ListFields } from './list-view.ts';

const pageRuns = '50';

export function readFields(parameters: URLSearchParams): ListFields {
  const field = (name: string) => (parameters.get(name) ?? '').trim();
  return {
    q: field('q'),
    state: field('state'),
    creator: field('creator'),
    environment: field('environment'),
    name: field('name'),
    from: field('from'),
    to: field('to'),
  };
}

/**
 * Translates the filters to a query of the API, newest first.
 * @throws ApiProblem that names the wrong field
 */
export function queryOf(fields: ListFields, parameters: URLSearchParams): RunListQuery {
  const { from, to, environment, ...same } = fields;
  const query = new URLSearchParams({
    ...same,
    environment_id: environment,
    created_after: from === '' ? '' : new Date(startOf(from, 'from') - 1).toISOString(),
    created_before: to === '' ? '' : new Date(startOf(to, 'to') + 86_400_000).toISOString(),
    limit: pageRuns,
    sort_by: 'created_at',
    sort_order: 'desc',
    cursor: parameters.get('older') ?? '',
  });
  return readListQuery(query);
}

/** In UTC. */
function startOf(day: string, field: string): number {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(at))
    throw new ApiProblem('invalid_request', `${field}: must be a date such as 2026-01-31`);
  return at;
}
