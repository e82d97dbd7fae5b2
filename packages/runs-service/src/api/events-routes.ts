import { isDeepStrictEqual } from 'node:util';
import type { HttpBindings } from '@hono/node-server';
import type { Logger } from 'base/logger';
import { type Context, Hono } from 'hono';
import type { RunChange } from 'runs-client/run-change';
import type { ChangeFeed, FeedEvent } from './change-feed.ts';
import {
  createStreamLimit,
  forbidBuffering,
  formatEvent,
  heartbeatMs,
  streamEvents,
} from './event-stream.ts';
import { type Authenticate, type CallerVariables, keyIn } from './keys/authentication.ts';
import { canOpen } from './runs/visible-runs.ts';

type EventsRoutesOptions = {
  feed: ChangeFeed;
  authenticate: Authenticate;
  /** Aborts when the service stops, which ends the streams. */
  stopping: AbortSignal;
  logger: Logger;
};

/** Max wait for changes before an empty text is sent, in ms. Heartbeats need this text. */
const roundMs = 1_000;
/** Max open event streams of one key owner, and of the whole process. */
const streamLimit = {
  each: 10,
  inTotal: 500,
  message: 'Too many event streams are open. Close some, or list runs instead.',
};

type Caller = { Variables: CallerVariables };

/** Creates the route that sends run changes as server-sent events. An event only says that a run changed. */
export function createEventsRoutes(options: EventsRoutesOptions): Hono<Caller> {
  const streams = createStreamLimit(streamLimit);
  return new Hono<Caller>().get('/agent/runs/events', (context) => {
    // Open no stream for HEAD, because Hono sends only the headers of GET and would leave the stream open.
    if (context.req.method === 'HEAD') {
      forbidBuffering(context);
      return context.body(null);
    }
    const { uid } = context.get('caller').creator;
    streams.enter(uid);
    return streamEvents(context, {
      texts: (gone) => textsFor(context, gone, options),
      onEnd: () => streams.leave(uid),
      logger: options.logger,
    });
  });
}

async function* textsFor(
  context: Context<Caller>,
  gone: AbortSignal,
  { feed, authenticate, stopping }: EventsRoutesOptions,
) {
  const caller = context.get('caller');
  const batches = feed.follow({
    from: readCursor(context.req.header('last-event-id')),
    sees: (run) => canOpen(caller, run),
    waitMs: roundMs,
    signal: AbortSignal.any([gone, stopping]),
    // Cut the connection, because a reader that no longer reads can't receive a normal end of the stream.
    onTooSlow: () => (context.env as Partial<HttpBindings>).outgoing?.destroy(),
  });
  let checkedAt = performance.now();
  for await (const events of batches) {
    if (performance.now() - checkedAt >= heartbeatMs) {
      // End the stream if the key was revoked.
      if (!isDeepStrictEqual(await authenticate(context, keyIn(context) ?? ''), caller)) return;
      checkedAt = performance.now();
    }
    yield events.map(format).join('');
  }
}

function format(event: FeedEvent): string {
  const data = event.kind === 'change' ? present(event) : {};
  return formatEvent(event.kind, event.cursor, JSON.stringify(data));
}

const present = ({ run }: FeedEvent & { kind: 'change' }): RunChange => ({
  run_id: run.id,
  state: run.state,
  updated_at: new Date(run.updated_at).toISOString(),
});

/** Parses a cursor from a client. Returns undefined for a text that isn't a cursor of this service. */
const readCursor = (id: string | undefined) =>
  id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
