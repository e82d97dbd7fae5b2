import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { type WebSocket, WebSocketServer } from 'ws';

/** Handles a WebSocket that was opened on a path. */
export type Upgrade = (socket: WebSocket, url: URL) => void;

/** Base URL for parsing the relative URLs of requests. */
const origin = 'ws://127.0.0.1';

/** Runs an HTTP server on loopback. `stop` ends all connections. */
export class WorkspaceServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #webSockets = new WebSocketServer({ noServer: true, maxPayload: 4 * 1024 * 1024 });
  readonly #port: number;
  #url: string | undefined;

  constructor({
    app,
    upgrades,
    port,
  }: {
    app: Hono<{ Bindings: HttpBindings }>;
    upgrades: Record<string, Upgrade>;
    port: number;
  }) {
    this.#port = port;
    this.#server = createServer(getRequestListener(app.fetch));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('upgrade', (request, socket, head) => {
      const { url: address = '/' } = request;
      const url = URL.canParse(address, origin) ? new URL(address, origin) : undefined;
      const upgrade = upgrades[url?.pathname ?? ''];
      if (!url || !upgrade) {
        socket.destroy();
        return;
      }
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => upgrade(webSocket, url));
    });
  }

  /** URL of the server, known after the start. */
  get url(): string {
    if (!this.#url) throw new Error("the workspace hasn't started");
    return this.#url;
  }

  async start(): Promise<void> {
    if (this.#url) return;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#port, '127.0.0.1', () => resolve());
    });
    const { port } = this.#server.address() as AddressInfo;
    this.#url = `http://127.0.0.1:${port}`;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
