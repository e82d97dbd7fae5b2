import type { Changes } from './changes.ts';

/** One exchange between Slack and the app, for the inspector. Tokens never come here: they travel in headers. */
export type Exchange = {
  id: number;
  at: string;
  /** `call`: the app called the Web API; `delivery`: Slack sent something; `response`: the app used a response_url. */
  direction: 'call' | 'delivery' | 'response';
  name: string;
  request: unknown;
  answer: unknown;
  durationMs: number;
};

const kept = 500;

export function createTraffic(changes: Changes) {
  const exchanges: Exchange[] = [];
  let lastId = 0;
  return {
    /** Notes an exchange that began at `startedMs` and has ended now. */
    note(entry: Pick<Exchange, 'direction' | 'name' | 'request' | 'answer'>, startedMs: number) {
      const at = new Date(startedMs).toISOString();
      const id = ++lastId;
      exchanges.push({ id, at, ...entry, durationMs: Date.now() - startedMs });
      if (exchanges.length > kept) exchanges.shift();
      changes.emit({ type: 'traffic', id });
    },
    /** Oldest first, the last 500. */
    recent(): readonly Exchange[] {
      return exchanges;
    },
  };
}
export type Traffic = ReturnType<typeof createTraffic>;
