import { Dispatcher } from 'undici';
import type { RunsClient, RunsClientOptions } from '../../src/index.ts';
import { type Received, testClient } from './api-server.ts';

/** Methods to respond to one request. Calls after the client has given up are ignored. */
export type Reply = {
  json(status: number, body: unknown, headers?: Record<string, string>): void;
  text(status: number, body: string): void;
  /** Sends the beginning of a success and breaks the connection. */
  cut(body: string): void;
  hangUp(): void;
};

export type MemoryService = {
  /** Received requests, in the order of arrival. */
  received: Received[];
  client(options?: Partial<RunsClientOptions>): RunsClient;
};

type Answer = (reply: Reply, request: Received, count: number) => unknown;

/**
 * Creates a service that clients reach without a network, for tests in virtual time. `count` is the request's number,
 * from 1.
 */
export function createMemoryService(
  answer: Answer,
  commonHeaders: () => Record<string, string> = () => ({}),
): MemoryService {
  const received: Received[] = [];
  const dispatcher = new MemoryDispatcher((reply, request) => {
    answer(reply, request, received.push(request));
  }, commonHeaders);
  return {
    received,
    client: (options) => testClient('http://127.0.0.1/api/v1', { dispatcher, ...options }),
  };
}

class MemoryDispatcher extends Dispatcher {
  readonly #answer: (reply: Reply, request: Received) => void;
  readonly #commonHeaders: () => Record<string, string>;

  constructor(
    answer: (reply: Reply, request: Received) => void,
    commonHeaders: () => Record<string, string>,
  ) {
    super();
    this.#answer = answer;
    this.#commonHeaders = commonHeaders;
  }

  override dispatch(
    { method, path, headers, body }: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    let isOver = false;
    const controller: Dispatcher.DispatchController = {
      aborted: false,
      paused: false,
      reason: null,
      abort: () => {
        isOver = true;
      },
      pause: () => undefined,
      resume: () => undefined,
    };
    const begin = (status: number, text: string, more: Record<string, string> = {}) => {
      handler.onResponseStart?.(controller, status, { ...this.#commonHeaders(), ...more });
      handler.onResponseData?.(controller, Buffer.from(text));
    };
    const lose = () => handler.onResponseError?.(controller, new Error('the connection broke'));
    const once = (act: () => unknown) => {
      if (isOver) return;
      isOver = true;
      act();
    };
    const send = (status: number, text: string, more?: Record<string, string>) =>
      once(() => {
        begin(status, text, more);
        handler.onResponseEnd?.(controller, {});
      });
    const reply: Reply = {
      json: (status, value, more) =>
        send(status, JSON.stringify(value), { 'content-type': 'application/json', ...more }),
      text: send,
      cut: (text) =>
        once(() => {
          begin(200, text);
          lose();
        }),
      hangUp: () => once(lose),
    };
    handler.onRequestStart?.(controller, {});
    const rawHeaders = Array.isArray(headers) ? headers.map(String) : [];
    const request: Received = {
      method,
      url: path,
      rawHeaders,
      headers: Object.fromEntries(
        rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1]]] : [])),
      ),
      body: typeof body === 'string' ? JSON.parse(body) : undefined,
    };
    queueMicrotask(() => this.#answer(reply, request));
    return true;
  }
}
