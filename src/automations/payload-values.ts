/** Max list entries to visit for one path, and max characters to return, so that no payload keeps the bot busy. */
const mostEntries = 1_000;
const mostCharacters = 100_000;

/**
 * Returns the texts, numbers and booleans at a path such as `issue.labels.name`, as texts. A list stands for each of
 * its entries, unless the path names one by its number. Of long lists and texts, only the beginning is read. Returns
 * nothing for an unknown path.
 */
export function valuesAt(payload: unknown, path: string): string[] {
  const keys = path.split('.');
  const found: string[] = [];
  let entries = 0;
  let characters = 0;

  /** Visits a value and what is in it. `depth` is the number of keys that led to it. */
  function visit(value: unknown, depth: number): void {
    const isList = Array.isArray(value) && !/^\d+$/.test(keys[depth] ?? '');
    if (!isList) visitOne(value, depth);
    else
      for (const entry of value) {
        if (entries >= mostEntries || characters >= mostCharacters) return;
        entries += 1;
        visitOne(entry, depth);
      }
  }

  function visitOne(value: unknown, depth: number): void {
    const key = keys[depth];
    if (key !== undefined) {
      // Only own members count, because a path can name anything, such as `constructor`.
      if (typeof value === 'object' && value !== null && Object.hasOwn(value, key))
        visit(Reflect.get(value, key), depth + 1);
    } else if (['string', 'number', 'boolean'].includes(typeof value)) {
      const text = String(value).slice(0, mostCharacters - characters);
      characters += text.length;
      found.push(text);
    }
  }

  visit(payload, 0);
  return found;
}
