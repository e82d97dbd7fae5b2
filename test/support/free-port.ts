import { type AddressInfo, createServer } from 'node:net';

/** A port that was free a moment ago, for what must be told its port before it listens. */
export const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
