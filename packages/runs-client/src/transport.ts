import type { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { Exchange, type HttpReply, type HttpRequest } from './exchange.ts';

export type RunsDispatcher = Dispatcher;

export type Transport = {
  /** One exchange, the whole body read. Fails with a `RunsApiError`, or with the caller's own reason to abort. */
  send(request: HttpRequest): Promise<HttpReply<Buffer>>;
  /** As `send`, but the body of a success is the caller's to read and to end, without a time limit. */
  open(request: HttpRequest): Promise<HttpReply<Readable | Buffer>>;
  close(): Promise<void>;
};

/** Enough for a bot that follows thousands of runs; more calls wait their turn on the kept-alive connections. */
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
    // The deadline of the call covers headers and body, to the millisecond; undici's own limits are coarse and count anew for each.
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
