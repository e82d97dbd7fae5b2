type QueryValue = string | number | boolean | null | undefined;

/** Arrays repeat their key, maps become `key[inner]=value`, absent values are left out. */
export type Query = Readonly<
  Record<string, QueryValue | readonly QueryValue[] | Readonly<Record<string, QueryValue>>>
>;

/** With its leading "?", or empty. */
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
