import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { Changes } from '../lib/changes.ts';
import { newSecret } from '../lib/ids.ts';
import { parseJson } from '../lib/json.ts';
import { sleep } from '../lib/sleep.ts';
import { type Answer, type Delivery, notConnected, timedOut } from './delivery.ts';

export type DisconnectReason = 'warning' | 'refresh_requested' | 'link_disabled';

const ackFrame = z.looseObject({ envelope_id: z.string(), payload: z.unknown().optional() });

/** Time between pings, in ms. Slack's SDK starts its watchdog of 30 s with the first ping. */
const pingEveryMs = 10_000;
const maximumConnections = 10;

type Connection = { socket: WebSocket; isLeaving: boolean };

/**
 * Serves Socket Mode to apps. Sends each envelope to one connection, and waits until the app acknowledges the
 * envelope's ID.
 */
export class SocketMode {
  readonly #changes: Changes;
  readonly #appId: string;
  readonly #ackWithinMs: number;
  readonly #tickets = new Set<string>();
  readonly #connections: Connection[] = [];
  readonly #waiting = new Map<string, (answer: Answer) => void>();
  #turn = 0;

  constructor({
    changes,
    appId,
    ackWithinMs,
  }: { changes: Changes; appId: string; ackWithinMs: number }) {
    this.#changes = changes;
    this.#ackWithinMs = ackWithinMs;
    this.#appId = appId;
  }

  get connections(): number {
    return this.#connections.length;
  }

  /** Creates the single-use part of the URL that `apps.connections.open` returns. */
  newTicket(): string {
    const ticket = newSecret();
    this.#tickets.add(ticket);
    return ticket;
  }

  /** Accepts a socket with a valid ticket. */
  accept(socket: WebSocket, ticket: string): void {
    if (!this.#tickets.delete(ticket)) {
      socket.close(1008, 'unknown ticket');
      return;
    }
    if (this.#connections.length >= maximumConnections) {
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets' }));
      socket.close(1000);
      return;
    }
    const connection: Connection = { socket, isLeaving: false };
    this.#connections.push(connection);
    socket.on('message', (data) => this.#readFrame(String(data)));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      this.#connections.splice(this.#connections.indexOf(connection), 1);
      this.#changes.emit({ type: 'socket', connections: this.#connections.length });
    });
    socket.send(JSON.stringify(this.#hello()));
    this.#changes.emit({ type: 'socket', connections: this.#connections.length });
  }

  /**
   * Sends a delivery to one connection. Each delivery goes to the next connection. To test repeated deliveries,
   * `copies` sends it more than once.
   */
  send(delivery: Delivery, { copies = 1 }: { copies?: number } = {}): Promise<Answer> {
    const staying = this.#connections.filter(({ isLeaving }) => !isLeaving);
    const open = staying.length > 0 ? staying : this.#connections;
    const connection = open[this.#turn++ % Math.max(1, open.length)];
    if (!connection) return Promise.resolve(notConnected);
    const id = randomUUID();
    const frame = JSON.stringify(envelope(id, delivery));
    return new Promise((resolve) => {
      const finish = (answer: Answer) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(answer);
      };
      const timer = setTimeout(() => finish(timedOut), this.#ackWithinMs);
      this.#waiting.set(id, finish);
      for (let copy = 0; copy < copies; copy++) connection.socket.send(frame);
    });
  }

  /** Asks all connections to close, and closes them after `graceMs`. */
  async disconnect(reason: DisconnectReason, graceMs: number, signal: AbortSignal): Promise<void> {
    const leaving = this.#connections.filter(({ isLeaving }) => !isLeaving);
    for (const connection of leaving) {
      connection.isLeaving = true;
      const debug = { host: 'applink-local', approximate_connection_time: 18_060 };
      const frame = { type: 'disconnect', reason, debug_info: debug };
      connection.socket.send(JSON.stringify(frame));
    }
    await sleep(graceMs, signal);
    for (const { socket } of leaving) socket.close(1000);
  }

  /** Ends the connections without notice, as a broken network does. */
  cut(): void {
    for (const { socket } of [...this.#connections]) socket.terminate();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(pingEveryMs, signal);
      for (const { socket } of this.#connections) {
        if (socket.readyState === socket.OPEN) socket.ping();
      }
    }
    for (const { socket } of this.#connections) socket.close(1001);
    for (const finish of [...this.#waiting.values()]) finish(notConnected);
  }

  #readFrame(text: string): void {
    const frame = ackFrame.safeParse(parseJson(text));
    if (!frame.success) return;
    const { envelope_id: id, payload } = frame.data;
    this.#waiting.get(id)?.({ acked: true, body: payload });
  }

  #hello() {
    return {
      type: 'hello',
      num_connections: this.#connections.length,
      debug_info: {
        host: 'applink-local',
        build_number: 1,
        approximate_connection_time: 18_060,
      },
      connection_info: { app_id: this.#appId },
    };
  }
}

function envelope(id: string, { kind, payload, retry }: Delivery) {
  return {
    envelope_id: id,
    payload,
    type: kind,
    accepts_response_payload: kind !== 'events_api',
    ...(kind === 'events_api' && {
      retry_attempt: retry?.attempt ?? 0,
      retry_reason: retry?.reason ?? '',
    }),
  };
}
