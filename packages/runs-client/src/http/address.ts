import { RunsApiError } from '../runs-api-error.ts';

type QueryValue = string | number | boolean | null | undefined;

/**
 * Query parameters of a request. Arrays repeat their key, maps become `key[inner]=value`, and absent values are left
 * out.
 */
export type Query = Readonly<
  Record<string, QueryValue | readonly QueryValue[] | Readonly<Record<string, QueryValue>>>
>;

/** Returns the formatted query with its leading "?", or an empty text if there are no parameters. */
export function formatQuery(query: Query | undefined): string {
  if (!query) return '';
  const parts: string[] = [];
  const add = (key: string, value: QueryValue) => {
    if (value !== undefined && value !== null) {
      parts.push(`${encodeURIComponent(key)}=${encodeURIComponent(value)}`);
    }
  };
  for (const [key, value] of Object.entries(query)) {
    if (Array.isArray(value)) {
      for (const each of value) add(key, each);
    } else if (typeof value === 'object' && value !== null) {
      for (const [inner, each] of Object.entries(value)) add(`${key}[${inner}]`, each);
    } else {
      add(key, value as QueryValue);
    }
  }
  return parts.length > 0 ? `?${parts.join('&')}` : '';
}

export const runPath = (runId: string, below = ''): string => idPath('runs', runId) + below;

const kindNames = { runs: 'a run', artifacts: 'an artifact', schedules: 'a schedule' } as const;

/**
 * Returns an ID as a path segment. Rejects an empty ID, "." and "..", because they would change the path. All other IDs
 * are accepted.
 */
export function idPath(kind: keyof typeof kindNames, id: string): string {
  // Check the type, because JavaScript callers can pass any value.
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) {
    const shown = typeof id === 'string' ? `"${id}"` : String(id);
    const message = `${shown} isn't the id of ${kindNames[kind]}; nothing was sent`;
    throw new RunsApiError({ code: 'invalid_request', message, sent: false });
  }
  return `/agent/${kind}/${encodeURIComponent(id)}`;
}
