import type { Readable } from 'node:stream';
import { RunsApiError } from '../runs-api-error.ts';

/** One server-sent event. `id` is the newest one so far. */
export type ServerSentEvent = { event: string; data: string; id: string | undefined };

const mostLineCharacters = 64 * 1024;
const mostDataCharacters = 256 * 1024;

/** Goes into a header of the next request. */
const usableId = /^[\x21-\x7e]{1,200}$/;

/**
 * Reads server-sent events until the stream ends.
 * @throws RunsApiError if the service sends nothing for `silenceMs`, or lines and events that are too long
 */
export async function* readEventStream(
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
    // Otherwise a line that comes byte by byte would be searched for each byte.
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

/** Only waiting counts, not the time that the reader takes for a chunk. */
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
