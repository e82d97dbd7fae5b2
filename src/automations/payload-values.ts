/**
 * Returns the texts, numbers and booleans at a path such as `issue.labels.name`, as texts. A list stands for each of
 * its entries, unless the path names one by its number. Returns nothing for an unknown path.
 */
export function valuesAt(payload: unknown, path: string): string[] {
  let found: unknown[] = [payload];
  for (const key of path.split('.')) found = found.flatMap((each) => membersOf(each, key));
  return found.flatMap(entriesOf).flatMap((each) => {
    const isValue = ['string', 'number', 'boolean'].includes(typeof each);
    return isValue ? [String(each)] : [];
  });
}

const entriesOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

function membersOf(value: unknown, key: string): unknown[] {
  if (Array.isArray(value) && /^\d+$/.test(key)) return value.slice(Number(key), Number(key) + 1);
  return entriesOf(value).flatMap((each) => {
    // Only own members count, because a path can name anything, such as `constructor`.
    if (typeof each !== 'object' || each === null || !Object.hasOwn(each, key)) return [];
    return [Reflect.get(each, key)];
  });
}
