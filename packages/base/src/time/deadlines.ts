import { setMaxListeners } from 'node:events';

/** Creates signals that abort a number of ms after `begin()`, unless `clear()` is called first. */
export function createDeadlines<Name extends string>(afterMs: Readonly<Record<Name, number>>) {
  const names = Object.keys(afterMs) as Name[];
  const controllers = new Map(names.map((name) => [name, new AbortController()]));
  // Allow any number of listeners, because every pending statement and call adds one. Node would warn at eleven.
  setMaxListeners(0, ...[...controllers.values()].map(({ signal }) => signal));
  let timers: NodeJS.Timeout[] = [];
  return {
    signals: Object.fromEntries(
      [...controllers].map(([name, { signal }]) => [name, signal]),
    ) as Record<Name, AbortSignal>,
    begin(): void {
      if (timers.length > 0) return;
      timers = names.map((name) => setTimeout(() => controllers.get(name)?.abort(), afterMs[name]));
    },
    clear(): void {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
