import { pageClosings } from '../../page-server/page-closings.ts';
import type { FeedFrame, FeedHello } from '../../page-server/page-protocol.ts';

export type ConnectionState = 'connecting' | 'live' | 'lost';

type ConnectionOptions = {
  hello: FeedHello;
  onFrame: (frame: FeedFrame) => void;
  onState: (state: ConnectionState) => void;
};

const longestWaitMs = 5_000;

/** Keeps one WebSocket open and reconnects when it breaks. Returns a function that ends it. */
export function connect({ hello, onFrame, onState }: ConnectionOptions): () => void {
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
      // A late message for the previous person.
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
