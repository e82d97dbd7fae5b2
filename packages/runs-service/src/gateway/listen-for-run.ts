import { mkdtemp, rmdir } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { ModelAddress } from '../execution/model-access.ts';

/** Max connections of one run. Agents reuse connections, and have at most 16 calls in progress. */
const maxConnections = 64;

export type RunListener = {
  address: ModelAddress;
  /** Ends all connections. Can be called twice. */
  close(): Promise<void>;
};

/**
 * Listens for the model calls of one run: on a socket in a new folder, or on a free port of 127.0.0.1. Held calls stay
 * open for long, so only reading the headers has a time limit here.
 */
export async function listenForRun(
  handler: RequestListener,
  listenOn: 'socket' | 'port',
): Promise<RunListener> {
  const server = createServer(
    {
      requestTimeout: 0,
      headersTimeout: 20_000,
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: 75_000,
      maxHeaderSize: 32 * 1024,
      noDelay: true,
    },
    handler,
  );
  server.maxConnections = maxConnections;
  server.on('upgrade', rejectUpgrade).on('connect', rejectUpgrade);
  if (listenOn === 'port') {
    await listening(server, () => server.listen(0, '127.0.0.1'));
    const { port } = server.address() as AddressInfo;
    return { address: { port }, close: () => closeServer(server) };
  }
  // A socket's path can have at most 107 bytes, and the data folder's path can be longer.
  const folder = await mkdtemp(join(tmpdir(), 'slash-agent-'));
  await listening(server, () => server.listen(join(folder, 'socket')));
  let closed: Promise<void> | undefined;
  return {
    address: { folder },
    close() {
      closed ??= closeServer(server).then(() => rmdir(folder));
      return closed;
    },
  };
}

/** Rejects WebSockets and tunnels. Codex then uses plain requests at once. */
function rejectUpgrade(_request: unknown, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  const response =
    'HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\ncontent-length: 0\r\n\r\n';
  socket.end(response, () => socket.destroy());
}

function listening(server: Server, listen: () => void): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', fail).once('listening', done);
    listen();
  });
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((done) => server.close(done));
  server.closeAllConnections();
  await closed;
}
