import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { ApiRequest, CallOptions } from '../call-options.ts';
import type { Caller } from './caller.ts';
import type { HttpReply, ReplyHeaders } from './exchange.ts';
import { readRequestId } from './read-failure.ts';
import { type LoadSchema, readData, readJson } from './read-reply.ts';

export type ApiCalls = ReturnType<typeof createApiCalls>;

/** A request, or a function that builds it. If the function throws, the call rejects with its error. */
type RequestSource = ApiRequest | (() => ApiRequest);

/** Creates functions that turn requests into calls. Awaiting a call returns its data. */
export function createApiCalls(caller: Caller) {
  function waysOf<Data>(
    source: RequestSource,
    call: CallOptions | undefined,
    read: (reply: HttpReply<Buffer>) => Data | Promise<Data>,
  ): CallWays<Data> {
    const build = () => (typeof source === 'function' ? source() : source);
    return {
      async data() {
        const reply = await caller.send(build(), call);
        return { data: await read(reply), ...infoOf(reply) };
      },
      raw: async () => caller.open(build(), call),
    };
  }

  return {
    waysOf,
    typed: <Schema extends z.ZodType>(
      source: RequestSource,
      load: LoadSchema<Schema>,
      call: CallOptions | undefined,
    ): ApiCall<z.infer<Schema>> =>
      new ApiCall(waysOf(source, call, (reply) => readData(reply, load))),
    /** Creates a call for any JSON response. An empty body becomes `undefined`. */
    untyped: (request: ApiRequest, call: CallOptions | undefined): ApiCall<unknown> =>
      new ApiCall(
        waysOf(request, call, (reply): unknown =>
          reply.body.length === 0 ? undefined : readJson(reply),
        ),
      ),
  };
}

export function infoOf({ status, headers }: { status: number; headers: ReplyHeaders }): ReplyInfo {
  return { status, headers, requestId: readRequestId(headers) };
}

/** Status, headers and request ID of a response. */
export type ReplyInfo = { status: number; headers: ReplyHeaders; requestId: string | undefined };
export type WithResponse<Data> = ReplyInfo & { data: Data };
/** A response with an unread body. Read the body to its end, or destroy it. */
type RawResponse = ReplyInfo & { body: Readable };

/** Functions for the two ways to make a call: with parsed data or with the raw response. */
export type CallWays<Data> = {
  data: () => Promise<WithResponse<Data>>;
  raw: () => Promise<HttpReply<Readable>>;
};

const onlyOnce =
  'call asResponse() once, directly on the call, and without awaiting the call itself';

/**
 * Represents a call in progress. Await it for its data, or call `withResponse` or `asResponse`. Call `asResponse`
 * immediately, because the client otherwise reads the body.
 */
export class ApiCall<Data> implements Promise<Data> {
  readonly [Symbol.toStringTag] = 'ApiCall';
  readonly #ways: CallWays<Data>;
  #started: Promise<WithResponse<Data>> | undefined;
  #isRaw = false;

  constructor(ways: CallWays<Data>) {
    this.#ways = ways;
    // Start the call even if nothing awaits it. Wait for a microtask, so that the caller can still call
    // `asResponse`.
    queueMicrotask(() => {
      if (!this.#isRaw) void this.#start();
    });
  }

  /** Returns the data, along with status, headers and request ID. */
  withResponse(): Promise<WithResponse<Data>> {
    return this.#start();
  }

  /** Returns status, headers and the body as an unread stream. */
  async asResponse(): Promise<RawResponse> {
    if (this.#started || this.#isRaw) throw new TypeError(onlyOnce);
    this.#isRaw = true;
    const { status, headers, body } = await this.#ways.raw();
    return { status, headers, requestId: readRequestId(headers), body };
  }

  // biome-ignore lint/suspicious/noThenProperty: it's a promise of data that is read on demand
  then<Ok = Data, Failed = never>(
    onData?: ((data: Data) => Ok | PromiseLike<Ok>) | null,
    onFailure?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Ok | Failed> {
    return this.#start()
      .then((whole) => whole.data)
      .then(onData, onFailure);
  }

  catch<Failed = never>(
    onFailure?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Data | Failed> {
    return this.then(undefined, onFailure);
  }

  finally(onEnd?: (() => void) | null): Promise<Data> {
    return this.then().finally(onEnd);
  }

  /**
   * Starts the call at most once and never after `asResponse`, because sending a create request twice would create two
   * runs.
   */
  #start(): Promise<WithResponse<Data>> {
    if (this.#isRaw) return Promise.reject(new TypeError(onlyOnce));
    this.#started ??= this.#ways.data();
    return this.#started;
  }
}
