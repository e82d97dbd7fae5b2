import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Tracks the connections with a complete request, so that a stop waits only for those. */
export function watchConnections(server: Server) {
  const open = new Set<Socket>();
  const answering = new Map<Socket, ServerResponse>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return {
    /** Call it when a request is complete and about to be answered. */
    answer({ socket }: IncomingMessage, response: ServerResponse): void {
      answering.set(socket, response);
      response.once('close', () => answering.delete(socket));
    },

    /** Accepts no more connections, and resolves when every complete request is answered. */
    close(): Promise<void> {
      // An error means that it isn't listening, which is fine here.
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
