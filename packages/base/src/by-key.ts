/** Returns a function that creates one value for each key at the first call, and returns the same value afterwards. */
export function byKey<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const found = made.get(key) ?? make(key);
    made.set(key, found);
    return found;
  };
}
