import type { ClusterObject } from './object-store.ts';

type Term = { path: string; value: string; isEqual: boolean };
export type Selection = { labels: Term[]; fields: Term[] };

const termsOf = (selector: string | null): Term[] =>
  (selector ?? '')
    .split(',')
    .filter((term) => term !== '')
    .map((term) => {
      const [, path = '', sign, value = ''] = /^([^=!]+)(!=|==?)(.*)$/.exec(term) ?? [];
      if (sign === undefined) throw new Error(`the selector "${term}" isn't supported`);
      return { path, value, isEqual: sign !== '!=' };
    });

export const selectionOf = (query: URLSearchParams): Selection => ({
  labels: termsOf(query.get('labelSelector')),
  fields: termsOf(query.get('fieldSelector')),
});

const read = (object: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], object);

export function fits(object: ClusterObject, { labels, fields }: Selection): boolean {
  const given = object.metadata.labels ?? {};
  return (
    labels.every(({ path, value, isEqual }) => (given[path] === value) === isEqual) &&
    fields.every(
      ({ path, value, isEqual }) => (String(read(object, path) ?? '') === value) === isEqual,
    )
  );
}
