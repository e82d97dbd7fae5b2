import { connect } from 'node:net';
import { setInterval as every } from 'node:timers/promises';

export type Sender = { url: string; headers?: Record<string, string> };

/** Reply that a sender of an endless body got, and the bytes it sent, before the server closed the connection. */
export type CutOff = { reply: string; sentBytes: number };

/** Sends one byte of a small body every 200 ms. */
export const sendsSlowly = ({ url, headers }: Sender) =>
  sendUntilClosed(
    { url, headers: { 'content-length': '1000', ...headers } },
    Buffer.from('a'),
    200,
  );

/** Sends data without end, as fast as the server reads it. */
export const sendsEndlessly = (sender: Sender) =>
  sendUntilClosed(sender, Buffer.alloc(256 * 1024, 'a'), 1);

async function sendUntilClosed(
  { url, headers = {} }: Sender,
  part: Buffer,
  pauseMs: number,
): Promise<CutOff> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  let reply = '';
  socket.on('data', (data) => {
    reply += data.toString('latin1');
  });
  // Ignore the reset, because the server closes the connection while this end still writes.
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const head = { host: 'x', 'content-length': '1000000000000', ...headers };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`);
  socket.write(`POST ${pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  let sentBytes = 0;
  const stop = new AbortController();
  const sending = (async () => {
    try {
      for await (const _ of every(pauseMs, undefined, { signal: stop.signal })) {
        if (socket.writableNeedDrain) continue;
        socket.write(part);
        sentBytes += part.length;
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
  })();
  await closed;
  stop.abort();
  await sending;
  return { reply, sentBytes };
}
