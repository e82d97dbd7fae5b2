import { parseJson } from 'base/parse-json';
import type { OnSlackCall } from '../slack/connection/calls/slack-fetch.ts';
import {
  type Fields,
  fieldsOf,
  isRecord,
} from '../slack/connection/deliveries/delivery-address.ts';
import type { OnDelivery } from '../slack/connection/deliveries/pipeline.ts';
import type { OnHello } from '../slack/connection/socket-receiver.ts';

/** A Web API call by the bot or a check. `answer` is empty if Slack didn't respond. */
export type Call = { method: string; sent: Fields; answer: Fields; atMs: number };
export type Delivery = {
  atMs: number;
  kind: string;
  ackMs: number | undefined;
  body: Fields;
  event: Fields;
};

/** Recorded calls, deliveries and Socket Mode greetings, oldest first. */
export type Seen = { calls: Call[]; deliveries: Delivery[]; hellos: Fields[] };

/** Record of the calls and deliveries between the app and Slack. Checks read it, and the cleanup undoes its calls. */
export type SlackRecord = ReturnType<typeof createRecord>;

export function createRecord() {
  const all: Seen = { calls: [], deliveries: [], hellos: [] };
  const waiting = new Set<() => void>();
  const changed = () => {
    for (const look of [...waiting]) look();
  };

  const onSlackCall: OnSlackCall = ({ method, sent, answer }) => {
    const text = answer ? Buffer.from(answer).toString() : '';
    all.calls.push({
      method,
      sent: readForm(sent),
      answer: fieldsOf(parseJson(text)),
      atMs: Date.now(),
    });
    changed();
  };
  const onDelivery: OnDelivery = ({ kind, ackMs, body }) => {
    const fields = fieldsOf(body);
    all.deliveries.push({
      kind,
      ackMs,
      body: fields,
      event: fieldsOf(fields['event']),
      atMs: Date.now(),
    });
    changed();
  };
  const onHello: OnHello = (hello) => {
    all.hellos.push(hello);
    changed();
  };

  return {
    all,
    reports: { onSlackCall, onDelivery, onHello },

    /** Returns a function that reads everything recorded since this call. */
    fromNow(): () => Seen {
      const [calls, deliveries, hellos] = [all.calls, all.deliveries, all.hellos].map(
        ({ length }) => length,
      );
      return () => ({
        calls: all.calls.slice(calls),
        deliveries: all.deliveries.slice(deliveries),
        hellos: all.hellos.slice(hellos),
      });
    },

    /** Waits until `find` returns something. Returns undefined after `withinMs`, or if the signal aborts. */
    until<T>(
      find: () => T | undefined,
      { withinMs, signal }: { withinMs: number; signal: AbortSignal },
    ): Promise<T | undefined> {
      return new Promise((resolve) => {
        const end = (found?: T) => {
          waiting.delete(look);
          clearTimeout(timer);
          signal.removeEventListener('abort', stop);
          resolve(found);
        };
        const stop = () => end();
        const look = () => {
          const found = find();
          if (found !== undefined) end(found);
        };
        const timer = setTimeout(stop, withinMs);
        signal.addEventListener('abort', stop);
        waiting.add(look);
        if (signal.aborted) stop();
        else look();
      });
    },
  };
}

/** Returns the arguments of a call, with JSON values parsed. Returns nothing for a file upload. */
function readForm(body: RequestInit['body']): Fields {
  if (typeof body !== 'string' && !(body instanceof URLSearchParams)) return {};
  const text = String(body);
  const json = parseJson(text);
  if (isRecord(json)) return json;
  const fields = [...new URLSearchParams(text)].filter(([name]) => name !== 'token');
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name,
      /^[[{]/.test(value) ? (parseJson(value) ?? value) : value,
    ]),
  );
}
