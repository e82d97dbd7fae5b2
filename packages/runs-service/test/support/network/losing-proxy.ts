import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts an HTTP proxy at a fixed address. Its target can move, and it loses some replies after they took effect. */
export async function startLosingProxy() {
  let target: string | undefined;
  let loses: (path: string) => boolean = () => false;
  let replacement: (path: string) => string | undefined = () => undefined;
  let count = 0;

  function forward(from: IncomingMessage, to: ServerResponse): void {
    const { method, headers, url = '' } = from;
    if (target === undefined) {
      to.destroy();
      return;
    }
    const onward = request(new URL(url, target), { method, headers }, (answer) => {
      count += 1;
      const other = replacement(url);
      if (loses(url) || other !== undefined) {
        answer.resume();
        answer.once('end', () => (other === undefined ? to.destroy() : to.end(other)));
        return;
      }
      to.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(to);
      answer.once('error', () => to.destroy());
    });
    onward.once('error', () => to.destroy());
    to.once('close', () => onward.destroy());
    from.pipe(onward);
  }

  const server = createServer(forward);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Sets the target. With undefined, nothing answers. */
    leadTo(url: string | undefined): void {
      target = url;
    },
    lose(which: (path: string) => boolean): void {
      loses = which;
    },
    /** Replaces replies, such as with those of another version. */
    replace(given: typeof replacement): void {
      replacement = given;
    },
    count: () => count,
  };
}
