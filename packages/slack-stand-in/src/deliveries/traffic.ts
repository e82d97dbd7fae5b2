import type { Changes } from '../lib/changes.ts';
import { isObject } from '../lib/json.ts';

/**
 * One exchange between Slack and the app, for the inspector. Headers are left out, because they contain the bot token.
 */
export type Exchange = {
  id: number;
  at: string;
  /**
   * `call` if the app called the Web API, `delivery` if Slack sent something, `response` if the app used a
   * `response_url`.
   */
  direction: 'call' | 'delivery' | 'response';
  name: string;
  request: unknown;
  answer: unknown;
  durationMs: number;
};

const kept = 500;

/** Keys with secrets of the installation, which are masked in the inspector. */
const secretKeys = ['client_secret', 'access_token', 'code'];

function masked(value: unknown): unknown {
  if (!isObject(value) || !secretKeys.some((key) => key in value)) return value;
  const hide = ([key, each]: [string, unknown]) => [key, secretKeys.includes(key) ? '…' : each];
  return Object.fromEntries(Object.entries(value).map(hide));
}

export function createTraffic(changes: Changes) {
  const exchanges: Exchange[] = [];
  let lastId = 0;
  return {
    /** Records an exchange that began at `startedMs` and ends now. */
    note(
      { direction, name, ...entry }: Pick<Exchange, 'direction' | 'name' | 'request' | 'answer'>,
      startedMs: number,
    ) {
      const [request, answer] = [masked(entry.request), masked(entry.answer)];
      const at = new Date(startedMs).toISOString();
      const id = ++lastId;
      exchanges.push({
        id,
        at,
        direction,
        name,
        request,
        answer,
        durationMs: Date.now() - startedMs,
      });
      if (exchanges.length > kept) exchanges.shift();
      changes.emit({ type: 'traffic', id });
    },
    /** Returns the last 500 exchanges, oldest first. */
    recent(): readonly Exchange[] {
      return exchanges;
    },
  };
}
export type Traffic = ReturnType<typeof createTraffic>;
