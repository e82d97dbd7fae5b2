import type { Server } from 'node:http';

/** Starts a server. Resolves when the server listens. */
export const listenOn = (server: Server, { host, port }: { host: string; port: number }) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

/** Closes a server and its open connections. */
export const closeNow = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
