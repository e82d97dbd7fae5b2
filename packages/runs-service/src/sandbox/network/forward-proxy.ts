import { mkdtemp, rmdir } from 'node:fs/promises';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { UnreachedAddress } from '../sandbox.ts';
import type { findAddress, Target } from './allowed-hosts.ts';

type ForwardProxy = {
  /** Folder that contains the proxy's socket. */
  folder: string;
  close(): Promise<void>;
};

/** Max connections of one command, because each uses files and memory of the service. */
const maxConnections = 1_000;

/**
 * Opens a proxy for HTTP and CONNECT, which is a sandbox's only connection to the network. The proxy connects to the
 * addresses that `find` allows. Commands reach it over a socket in the sandbox.
 */
export async function openForwardProxy(
  find: FindAddress,
  onUnreached: OnUnreached,
): Promise<ForwardProxy> {
  // Put the socket into the system's temporary folder. The data folder's path can be longer than the 107 bytes that
  // a socket's path allows.
  const folder = await mkdtemp(join(tmpdir(), 'slash-agent-'));
  const open = new Set<Duplex>();
  const server = createServer((incoming, response) => {
    void forward(incoming, response, { find, onUnreached });
  });
  server.maxConnections = maxConnections;
  server.on('connection', (socket: Socket) => track(open, socket));
  server.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    void tunnel(incoming, client, head, { find, onUnreached, open });
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail).listen(join(folder, 'socket'), done);
  });
  return {
    folder,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((done) => server.close(done));
      await rmdir(folder);
    },
  };
}

export type FindAddress = (target: Target) => ReturnType<typeof findAddress>;
type OnUnreached = (what: UnreachedAddress) => void;

function track(open: Set<Duplex>, socket: Duplex): void {
  open.add(socket);
  socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
}

async function findSafely(find: FindAddress, target: Target): ReturnType<typeof findAddress> {
  try {
    return await find(target);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { denial: `can't be found (${why})` };
  }
}

const noAnswer = (error: Error) => `doesn't answer (${error.message})`;

const withoutBrackets = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

type TunnelDeps = { find: FindAddress; onUnreached: OnUnreached; open: Set<Duplex> };

async function tunnel(
  { url = '' }: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { find, onUnreached, open }: TunnelDeps,
): Promise<void> {
  const [, host = '', port = ''] = /^(.+):(\d+)$/.exec(url) ?? [];
  const reject = (status: string, why: string) => {
    const text = `${url} ${why}`;
    onUnreached({ address: url, why });
    const length = Buffer.byteLength(text) + 1;
    client.end(`HTTP/1.1 ${status}\r\ncontent-length: ${length}\r\n\r\n${text}\n`);
  };
  if (Number(port) > 65_535) return reject('403 Forbidden', 'has no such port');
  const found = await findSafely(find, { host: withoutBrackets(host), port: Number(port) });
  if ('denial' in found) return reject('403 Forbidden', found.denial);
  const server = connect({ host: found.address, port: Number(port) });
  track(open, server);
  const fail = (error: Error) => reject('502 Bad Gateway', noAnswer(error));
  server.once('error', fail);
  server.once('connect', () => {
    server.off('error', fail).once('close', () => client.destroy());
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    server.write(head);
    server.pipe(client).pipe(server);
  });
  client.once('close', () => {
    if (server.connecting) onUnreached({ address: url, why: "doesn't answer" });
    server.destroy();
  });
}

type ForwardDeps = { find: FindAddress; onUnreached: OnUnreached };

async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  { find, onUnreached }: ForwardDeps,
): Promise<void> {
  const reject = (status: number, text: string) =>
    response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`);
  if (!URL.canParse(incoming.url ?? '')) return void reject(400, 'This is a proxy.');
  const url = new URL(incoming.url ?? '');
  if (url.protocol !== 'http:') return void reject(400, 'Use CONNECT for this address.');
  const port = Number(url.port || 80);
  const address = `${url.hostname}:${port}`;
  const unreached = (status: number, why: string) => {
    onUnreached({ address, why });
    reject(status, `${address} ${why}`);
  };
  const found = await findSafely(find, { host: withoutBrackets(url.hostname), port });
  // Open no connection for a client that has disconnected, because nothing would close the connection.
  if (response.destroyed) return;
  if ('denial' in found) return unreached(403, found.denial);
  const { 'proxy-connection': _, 'proxy-authorization': __, ...headers } = incoming.headers;
  try {
    const outgoing = request({
      host: found.address,
      port,
      path: `${url.pathname}${url.search}`,
      method: incoming.method,
      headers: { ...withoutTrailer(headers), host: url.host },
    });
    outgoing.on('response', (answer) => passBack(answer, response, reject));
    outgoing.on('error', (error) => {
      if (response.headersSent) response.destroy();
      else if (!response.destroyed) unreached(502, noAnswer(error));
    });
    response.on('close', () => {
      if (!response.headersSent) onUnreached({ address, why: "doesn't answer" });
      outgoing.destroy();
    });
    // Send the headers now, so that Node rejects invalid ones here. Later, an exception in a listener would end the
    // service.
    outgoing.flushHeaders();
    incoming.pipe(outgoing);
  } catch (error) {
    reject(400, String(error));
  }
}

type Reject = (status: number, text: string) => void;

/** Passes the answer back to the client. Catches errors, because Node can't send some answers, such as status 0. */
function passBack(answer: IncomingMessage, response: ServerResponse, reject: Reject): void {
  try {
    response.writeHead(answer.statusCode ?? 502, withoutTrailer(answer.headers));
    answer.on('error', () => response.destroy()).pipe(response);
  } catch (error) {
    answer.destroy();
    reject(502, String(error));
  }
}

/**
 * Removes the header `trailer`, because trailers aren't passed on. Node also rejects that header on a body of known
 * length.
 */
const withoutTrailer = ({ trailer: _, ...headers }: IncomingHttpHeaders) => headers;
