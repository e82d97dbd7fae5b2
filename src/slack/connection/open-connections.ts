import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Knows which connections carry a request that has arrived whole, so that a stop waits for those alone. */
export function watchConnections(server: Server) {
  const open = new Set<Socket>();
  const answering = new Map<Socket, ServerResponse>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return {
    /** This request has arrived whole and is being answered. */
    answer({ socket }: IncomingMessage, response: ServerResponse): void {
      answering.set(socket, response);
      response.once('close', () => answering.delete(socket));
    },

    /** Takes no more connections, and resolves when every request that had arrived whole is answered. */
    close(): Promise<void> {
      // Also when it doesn't listen: why it doesn't is for the caller of `listen`.
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) {
        const response = answering.get(socket);
        if (response) response.shouldKeepAlive = false;
        else socket.destroy();
      }
      return closed;
    },
  };
}
