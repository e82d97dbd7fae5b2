import { useEffect, useState } from 'preact/hooks';
import { pageClosings } from '../../page-server/page-entry.ts';
import type { FeedFrame, FeedHello } from '../../page-server/page-protocol.ts';
import { applyFrame, type Entries } from './entries.ts';

const nothing: Entries = new Map();

/** Returns the content of one person's page, updated live, and the state of the connection. */
export function useFeed(token: string, person: string) {
  const [feed, setFeed] = useState({ person, entries: nothing });
  const [connection, setConnection] = useState<ConnectionState>('connecting');
  useEffect(
    () =>
      connect({
        hello: { token, person },
        onFrame: (frame) =>
          setFeed((before) => {
            const entries = before.person === person ? before.entries : nothing;
            return { person, entries: applyFrame(entries, frame) };
          }),
        onState: setConnection,
      }),
    [token, person],
  );
  // Return no entries of another person, not even until the first frame arrives.
  return { entries: feed.person === person ? feed.entries : nothing, connection };
}

type ConnectionState = 'connecting' | 'live' | 'lost';

type ConnectionOptions = {
  hello: FeedHello;
  onFrame: (frame: FeedFrame) => void;
  onState: (state: ConnectionState) => void;
};

const longestWaitMs = 5_000;

/**
 * Keeps a WebSocket open, and opens a new one when the connection breaks. Returns a function that ends the connection
 * for good.
 */
function connect({ hello, onFrame, onState }: ConnectionOptions): () => void {
  let socket: WebSocket | undefined;
  let timer: number | undefined;
  let waitMs = 250;
  let isEnded = false;

  const open = () => {
    const url = new URL('/page/feed', location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    socket = new WebSocket(url);
    socket.onopen = () => socket?.send(JSON.stringify(hello));
    socket.onmessage = ({ data }) => {
      // Ignore late frames, which may be for the previous person.
      if (isEnded) return;
      waitMs = 250;
      onState('live');
      onFrame(JSON.parse(String(data)) as FeedFrame);
    };
    socket.onclose = ({ code }) => {
      if (isEnded) return;
      if (code === pageClosings.wrongToken) return location.reload();
      if (code === pageClosings.unknownPerson) return location.replace('#/');
      onState('lost');
      timer = window.setTimeout(open, waitMs);
      waitMs = Math.min(waitMs * 2, longestWaitMs);
    };
  };
  onState('connecting');
  open();
  return () => {
    isEnded = true;
    window.clearTimeout(timer);
    socket?.close();
  };
}
