export type Path = string[];

/** All paths inside a value, with that of the value itself. */
export function listPlaces(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inside = Object.entries(value).flatMap(([key, item]) => listPlaces(item, [...path, key]));
  return [path, ...inside];
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => Object(at)[key], value);
}

/** A copy with another value at the place. It shares everything else. */
export function replaceAt(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  const changed = replaceAt(Object(value)[key], rest, by);
  if (Array.isArray(value)) return value.with(Number(key), changed);
  return { ...Object(value), [key]: changed };
}
