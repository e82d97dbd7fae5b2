export type Path = string[];

/** Lists all paths inside a value, with the path of the value itself. */
export function listPlaces(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inside = Object.entries(value).flatMap(([key, item]) => listPlaces(item, [...path, key]));
  return [path, ...inside];
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => Object(at)[key], value);
}

/** Returns a copy with another value at the path. The copy shares all other values. */
export function replaceAt(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  const changed = replaceAt(Object(value)[key], rest, by);
  if (Array.isArray(value)) return value.with(Number(key), changed);
  return { ...Object(value), [key]: changed };
}
