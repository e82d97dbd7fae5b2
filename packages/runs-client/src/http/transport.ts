import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { RunsApiError } from '../runs-api-error.ts';
import { Exchange, type HttpReply, type HttpRequest } from './exchange.ts';

export type RunsDispatcher = Dispatcher;

/** Addresses of proxies. An empty text or undefined means no proxy. */
export type Proxies = {
  httpProxy?: string | undefined;
  httpsProxy?: string | undefined;
  /** Hosts to reach without a proxy, such as `localhost,.internal`. */
  noProxy?: string | undefined;
};

export type Transport = {
  /** Sends a request and reads the whole body. Fails with a `RunsApiError` or the reason of the caller's abort. */
  send(request: HttpRequest): Promise<HttpReply<Buffer>>;
  /**
   * Sends a request as `send` does, but returns the body of a success unread. The caller must read or end it, and no
   * time limit applies.
   */
  open(request: HttpRequest): Promise<HttpReply<Readable | Buffer>>;
  /** Returns the undici dispatcher, for requests to other hosts, such as file downloads. */
  dispatcher(): Promise<Dispatcher>;
  close(): Promise<void>;
};

/**
 * Number of connections in the pool, which is enough to follow thousands of runs. Further calls wait for a free
 * connection.
 */
const connections = 64;

type TransportOptions = {
  origin: string;
  maxReplyBytes: number;
  dispatcher?: RunsDispatcher | undefined;
  proxies?: Proxies | undefined;
};

export function createTransport(options: TransportOptions): Transport {
  const { maxReplyBytes: maxBytes } = options;
  let opened: Promise<Dispatcher> | undefined;
  let isClosed = false;

  function dispatcher(): Promise<Dispatcher> {
    if (isClosed) return Promise.reject(closedError());
    opened ??= openOnce();
    return opened;
  }

  async function openOnce(): Promise<Dispatcher> {
    const made = options.dispatcher ?? (await openDispatcher(options.proxies));
    if (typeof made.dispatch !== 'function') throw needsNode();
    return made;
  }

  function dispatch(request: HttpRequest, exchange: Exchange) {
    const { path, method, headers, body = null } = request;
    // Turn off undici's limits, because they are coarse and start separately for headers and body. The call's own
    // deadline covers both.
    const limits = { headersTimeout: 0, bodyTimeout: 0 };
    const parts = { origin: options.origin, path, method, headers, body, ...limits };
    exchange.begin(async () => {
      const ready = await dispatcher();
      ready.dispatch(parts, exchange);
    });
  }

  return {
    send(request) {
      return new Promise((resolve, reject) => {
        dispatch(request, new Exchange(request, reject, { maxBytes, onBody: resolve }));
      });
    },
    open(request) {
      return new Promise((resolve, reject) => {
        const sink = { maxBytes, onBody: resolve, onStream: resolve };
        dispatch(request, new Exchange(request, reject, sink));
      });
    },
    dispatcher,
    async close() {
      isClosed = true;
      if (options.dispatcher) return;
      // Ignore a failure to open the pool, because the caller already has the error and there's nothing to close.
      const mine = await opened?.catch(() => undefined);
      await mine?.destroy();
    },
  };
}

/** Opens the connection pool. Loads undici only now, because it takes longer to load than the rest of the client. */
async function openDispatcher(proxies: Proxies = {}): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent } = await import('undici');
  const { httpProxy = '', httpsProxy = '', noProxy = '' } = proxies;
  if (!httpProxy && !httpsProxy) return new Agent({ connections });
  if ([httpProxy, httpsProxy].some((proxy) => proxy !== '' && !/^https?:\/\/./.test(proxy))) {
    const message = "the address of the proxy doesn't start with http: or https:; nothing was sent";
    throw new RunsApiError({ code: 'invalid_request', message, sent: false });
  }
  // Pass all three settings, so that undici doesn't read them from environment variables.
  return new EnvHttpProxyAgent({ connections, httpProxy, httpsProxy, noProxy });
}

function closedError(): RunsApiError {
  const message = 'the runs client was closed; create a new one';
  return new RunsApiError({ code: 'closed', message, sent: false });
}

/** Creates the error for runtimes such as Bun, whose undici has no `dispatch`. */
function needsNode(): RunsApiError {
  const message =
    'runs-client needs Node.js 20.19 or later: the undici of this runtime has no "dispatch"; nothing was sent';
  return new RunsApiError({ code: 'invalid_request', message, sent: false });
}
