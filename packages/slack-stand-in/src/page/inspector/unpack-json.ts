/**
 * Replaces JSON text inside a JSON value with the parsed value, so that people can read it. Apps send views and blocks
 * as such text.
 */
export function unpackJson(value: unknown): unknown {
  if (typeof value === 'string') {
    if (!/^\s*[[{]/.test(value)) return value;
    try {
      return unpackJson(JSON.parse(value));
    } catch {
      return value;
    }
  }
  if (Array.isArray(value)) return value.map(unpackJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, unpackJson(each)]));
}
