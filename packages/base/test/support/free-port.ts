import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems assign (Linux from 32768, others from 49152), and above well-known services. */
const [first, end] = [20_000, 32_000];

/** Finds a port for a program that needs a fixed one. Systems don't assign ports in this range to other servers. */
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
