import type { Readable } from 'node:stream';
import type { Caller } from '../http/caller.ts';
import type { RunChange } from '../run-change.ts';
import { RunsApiError } from '../runs-api-error.ts';

export type EventsOptions = {
  /** ID of the last event in an earlier stream. The new stream continues after this event. */
  lastEventId?: string | undefined;
  /** Signal that ends the stream, which then fails with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Max time until the service responds, in ms. */
  timeoutMs?: number | undefined;
  /**
   * Time in ms without data after which the connection is considered lost; 15 s by default. Services send something
   * every 5 s.
   */
  silenceMs?: number | undefined;
};

type EventDetails =
  /** A run has changed. Read its details with `runs.get` or `runs.list`. */
  | { type: 'change'; run: RunChange }
  /** Some changes may have been missed, so list the runs. */
  | { type: 'reset' }
  /** The service has responded, so events for all later changes will follow. */
  | { type: 'open' };

export type RunEvent = EventDetails & { id: string | undefined };

const longestSilenceMs = 15_000;

/** Yields events about changed runs until the service ends the stream. The caller must reconnect. */
export async function* readRunEvents(
  caller: Caller,
  { lastEventId, signal, timeoutMs, silenceMs = longestSilenceMs }: EventsOptions,
): AsyncGenerator<RunEvent, void, undefined> {
  const headers = {
    accept: 'text/event-stream',
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  };
  const call = { signal, timeoutMs, maxRetries: 0, headers };
  const reply = await caller.open({ method: 'GET', path: '/agent/runs/events' }, call);
  const type = String(reply.headers['content-type'] ?? '');
  if (!/^text\/event-stream\b/i.test(type)) {
    reply.body.destroy();
    const message = "the runs API didn't answer with a stream of events; it doesn't offer them";
    throw new RunsApiError({ code: 'bad_response', status: reply.status, message });
  }
  yield { type: 'open', id: lastEventId };
  try {
    for await (const { event, data, id } of readEventStream(reply.body, silenceMs)) {
      if (event === 'reset') yield { type: 'reset', id };
      if (event === 'change') yield { type: 'change', id, run: await readChange(data) };
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    reply.body.destroy();
  }
}

async function readChange(data: string): Promise<RunChange> {
  const { runChangeSchema } = await import('../run-change.ts');
  try {
    return runChangeSchema.parse(JSON.parse(data));
  } catch {
    const message = 'the runs API sent an event of a run that is outside of the contract';
    throw new RunsApiError({ code: 'bad_response', message });
  }
}

/** One server-sent event. `id` is the last ID that the stream has sent so far. */
type ServerSentEvent = { event: string; data: string; id: string | undefined };

const mostLineCharacters = 64 * 1024;
const mostDataCharacters = 256 * 1024;

/**
 * Pattern of event IDs that are remembered. Others are ignored, because the last ID goes into a header of the next
 * request.
 */
const usableId = /^[\x21-\x7e]{1,200}$/;

/**
 * Reads server-sent events until the stream ends.
 * @throws RunsApiError if the service sends nothing for `silenceMs`, or lines and events that are too long
 */
async function* readEventStream(
  body: Readable,
  silenceMs: number,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  let read = { event: '', data: [] as string[], length: 0 };
  let id: string | undefined;
  for await (const chunk of withoutSilence(body, silenceMs)) {
    const text = decoder.decode(chunk, { stream: true });
    rest += text;
    // Split only when the new text contains a line end. A line that arrives byte by byte isn't searched again for
    // each byte.
    const lines =
      /[\r\n]/.test(text) || rest.endsWith('\r') ? rest.split(/\r\n|\n|\r(?!$)/) : [rest];
    rest = lines.pop() ?? '';
    if (rest.length > mostLineCharacters) throw tooLong('a line');
    for (const line of lines) {
      if (line.length > mostLineCharacters) throw tooLong('a line');
      if (line === '') {
        const { event, data } = read;
        if (data.length > 0) yield { event: event || 'message', data: data.join('\n'), id };
        read = { event: '', data: [], length: 0 };
        continue;
      }
      const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (name === 'event') read.event = value;
      if (name === 'id' && usableId.test(value)) id = value;
      if (name !== 'data') continue;
      read.data.push(value);
      read.length += value.length + 1;
      if (read.length > mostDataCharacters) throw tooLong('an event');
    }
  }
}

/**
 * Yields the chunks of a body. Fails after `silenceMs` without data, not counting the time that the reader needs for a
 * chunk.
 */
async function* withoutSilence(body: Readable, silenceMs: number): AsyncGenerator<Buffer> {
  const wait = () =>
    setTimeout(() => {
      const message = `the runs API sent nothing for ${silenceMs} ms; the connection is probably lost`;
      body.destroy(new RunsApiError({ code: 'timeout', message, retryable: true }));
    }, silenceMs);
  let timer = wait();
  try {
    for await (const chunk of body) {
      clearTimeout(timer);
      yield chunk;
      timer = wait();
    }
  } finally {
    clearTimeout(timer);
  }
}

function tooLong(what: string): RunsApiError {
  const message = `the runs API sent ${what} that is too long in a stream of events`;
  return new RunsApiError({ code: 'bad_response', message });
}
