import type { Caller } from '../http/caller.ts';
import type { RunChange } from '../run-change.ts';
import { RunsApiError } from '../runs-api-error.ts';
import { readEventStream } from './event-stream.ts';

export type EventsOptions = {
  /** The `id` of the last event of an earlier stream, to continue it. */
  lastEventId?: string | undefined;
  /** Ends the stream, which then fails with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Until the service answers. */
  timeoutMs?: number | undefined;
  /** A stream on which nothing comes for this long is lost; 15 s by default. Services send something every 5 s. */
  silenceMs?: number | undefined;
};

export type RunEvent = {
  id: string | undefined;
} /** A run has changed. Details are read with `runs.get` or `runs.list`. */ & (
  | { type: 'change'; run: RunChange }
  /** Changes may have been missed: list runs. */
  | { type: 'reset' }
  /** The service has answered, so changes from now on will come. */
  | { type: 'open' }
);

const longestSilenceMs = 15_000;

/** Follows changes of runs until the service ends the stream. Reconnecting is the caller's task. */
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
