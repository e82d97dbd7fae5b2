import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below what systems give out by themselves (Linux from 32768, others from 49152), and away from well-known services. */
const [first, end] = [20_000, 32_000];

/**
 * A port for what must be told its port before it listens. One that the system had chosen might be given to another
 * server or connection before it is used, and between two uses of it; these are taken by nobody who does not ask here.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, end);
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
