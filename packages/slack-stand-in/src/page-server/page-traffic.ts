import type { Exchange } from '../deliveries/traffic.ts';
import { isObject } from '../lib/json.ts';
import type { TrafficEntry } from './page-entry.ts';

/** Makes the inspector's line of each exchange once, because exchanges don't change. */
export function createTrafficEntries(): (exchange: Exchange) => TrafficEntry {
  const made = new WeakMap<Exchange, TrafficEntry>();
  return (exchange) => {
    const entry = made.get(exchange) ?? trafficEntry(exchange);
    made.set(exchange, entry);
    return entry;
  };
}

function trafficEntry(exchange: Exchange): TrafficEntry {
  const { id, at, direction, name, request, answer, durationMs } = exchange;
  const outcome = direction === 'delivery' ? deliveryOutcome(answer) : callOutcome(answer);
  return {
    kind: 'traffic',
    id,
    atMs: Date.parse(at),
    direction: direction === 'delivery' ? 'out' : 'in',
    name: direction === 'delivery' ? deliveryName(name, request) : name,
    ...outcome,
    durationMs,
    request,
    answer,
  };
}

type TrafficOutcome = Pick<TrafficEntry, 'outcome' | 'isFailure'>;

function callOutcome(answer: unknown): TrafficOutcome {
  const error = isObject(answer) && typeof answer['error'] === 'string' ? answer['error'] : 'ok';
  return { outcome: error, isFailure: error !== 'ok' };
}

function deliveryOutcome(answer: unknown): TrafficOutcome {
  if (isObject(answer) && answer['acked'] === true) return { outcome: 'acked', isFailure: false };
  return { ...callOutcome(answer), isFailure: true };
}

/** The specific name, such as `/agent`, `block_actions` or `app_mention`. */
function deliveryName(kind: string, request: unknown): string {
  if (!isObject(request)) return kind;
  if (kind === 'slash_commands') return String(request['command'] ?? kind);
  const event = request['event'];
  const type = isObject(event) ? event['type'] : request['type'];
  return typeof type === 'string' ? type : kind;
}
