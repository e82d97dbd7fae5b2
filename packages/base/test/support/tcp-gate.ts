import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a TCP proxy that can forward, stall or reject connections. */
export async function startTcpGate(target: { host: string; port: number }) {
  const sockets = new Set<Socket>();
  let isHanging = false;
  let hangsAt: string | undefined;
  /** A server that hangs still reads data later, even from clients that have disconnected. */
  const waiting: (() => void)[] = [];
  const pass = (action: () => void) => {
    if (isHanging) waiting.push(action);
    else action();
  };

  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ ...target, allowHalfOpen: true });
    near.on('data', (bytes) => {
      if (hangsAt !== undefined && bytes.includes(hangsAt)) isHanging = true;
    });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => pass(() => to.write(bytes)));
      from.on('end', () => pass(() => to.end()));
      from.on('error', () => pass(() => to.destroy()));
    }
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const reject = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  onTestFinished(async () => {
    if (server.listening) await reject();
  });

  return {
    port,
    /** Holds back all data in both directions, from now on or once a client sends this text. */
    hang(at?: string): void {
      hangsAt = at;
      isHanging = at === undefined;
    },
    isHanging: () => isHanging,
    /** Forwards all held data, in order. */
    resume(): void {
      isHanging = false;
      hangsAt = undefined;
      for (const action of waiting.splice(0)) action();
    },
    /** Breaks all connections and rejects new ones until `accept`, like a restart of the server. */
    reject,
    accept: () => listen(port),
  };
}

type TcpGate = Awaited<ReturnType<typeof startTcpGate>>;

/** Starts a proxy and returns the URL that leads through it. */
export async function throughGate(url: string): Promise<{ url: string; gate: TcpGate }> {
  const gated = new URL(url);
  const gate = await startTcpGate({ host: gated.hostname, port: Number(gated.port || 5432) });
  gated.hostname = '127.0.0.1';
  gated.port = String(gate.port);
  return { url: gated.href, gate };
}
