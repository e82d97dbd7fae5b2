import type { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { Exchange, type HttpReply, type HttpRequest } from './exchange.ts';

export type RunsDispatcher = Dispatcher;

export type Transport = {
  /** Reads the whole body. Fails with a `RunsApiError` or the reason of the caller's abort. */
  send(request: HttpRequest): Promise<HttpReply<Buffer>>;
  /** Like `send`, but the caller reads and ends the body of a success, without a time limit. */
  open(request: HttpRequest): Promise<HttpReply<Readable | Buffer>>;
  close(): Promise<void>;
};

/** Enough to follow thousands of runs. More calls wait for a free connection. */
const maxConnections = 64;

export function createTransport(options: {
  origin: string;
  maxReplyBytes: number;
  dispatcher?: RunsDispatcher | undefined;
}): Transport {
  const { maxReplyBytes: maxBytes } = options;
  const dispatcher =
    options.dispatcher ?? new Pool(options.origin, { connections: maxConnections });

  function dispatch(request: HttpRequest, exchange: Exchange) {
    const { path, method, headers, body = null } = request;
    // The call's deadline covers headers and body. undici's limits are coarse and start again for each.
    const limits = { headersTimeout: 0, bodyTimeout: 0 };
    const parts = { origin: options.origin, path, method, headers, body, ...limits };
    exchange.begin(() => dispatcher.dispatch(parts, exchange));
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
    async close() {
      if (!options.dispatcher) await dispatcher.destroy();
    },
  };
}
