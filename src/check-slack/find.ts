import { type Fields, fieldsOf } from '../slack/connection/deliveries/delivery-address.ts';
import { runMessageEvent } from '../slack/runs/reading/run-of-message.ts';
import type { Call, Delivery, Seen } from './record.ts';

/** Returns the objects in a list, or an empty list if the value isn't a list. */
export const listOf = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf) : [];

type Find<T> = (seen: Seen) => T | undefined;

export const deliveryOf =
  (kind: string, matches: (body: Fields) => boolean = () => true): Find<Delivery> =>
  ({ deliveries }) =>
    deliveries.find((each) => each.kind === kind && matches(each.body));

export const eventOf =
  (type: string, matches: (event: Fields) => boolean = () => true): Find<Delivery> =>
  ({ deliveries }) =>
    deliveries.find(({ event }) => event['type'] === type && matches(event));

/** Finds the last call of a method with matching arguments. If a call was repeated, this is the final try. */
export const callOf =
  (method: string, matches: (sent: Fields) => boolean = () => true): Find<Call> =>
  ({ calls }) =>
    calls.findLast((each) => each.method === method && matches(each.sent));

/** Finds the last call that posted a run message. */
export const runMessage =
  (matches: (sent: Fields) => boolean = () => true): Find<Call> =>
  ({ calls }) =>
    calls.findLast(
      ({ method, sent, answer }) =>
        method === 'chat.postMessage' &&
        answer['ok'] === true &&
        fieldsOf(sent['metadata'])['event_type'] === runMessageEvent &&
        matches(sent),
    );
