import type { Readable } from 'node:stream';
import type { HttpReply, ReplyHeaders } from './exchange.ts';
import { readRequestId } from './read-failure.ts';

/** The response without its data. */
export type ReplyInfo = { status: number; headers: ReplyHeaders; requestId: string | undefined };
export type WithResponse<Data> = ReplyInfo & { data: Data };
/** The body is unread: read it to its end, or destroy it. */
export type RawResponse = ReplyInfo & { body: Readable };

/** The two ways to make one call. */
export type CallWays<Data> = {
  data: () => Promise<WithResponse<Data>>;
  raw: () => Promise<HttpReply<Readable>>;
};

const onlyOnce =
  'call asResponse() once, directly on the call, and without awaiting the call itself';

/**
 * A call in progress. Await it for its data, or call `withResponse` or `asResponse`; the latter directly on the call,
 * because the body is read otherwise.
 */
export class ApiCall<Data> implements Promise<Data> {
  readonly [Symbol.toStringTag] = 'ApiCall';
  readonly #ways: CallWays<Data>;
  #started: Promise<WithResponse<Data>> | undefined;
  #isRaw = false;

  constructor(ways: CallWays<Data>) {
    this.#ways = ways;
    // Starts even if nothing awaits it, but leaves time to call `asResponse`.
    queueMicrotask(() => {
      if (!this.#isRaw) void this.#start();
    });
  }

  /** The data with status, headers and request id. */
  withResponse(): Promise<WithResponse<Data>> {
    return this.#start();
  }

  /** Status, headers and the body as an unread stream. */
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

  /** At most once, and not after `asResponse`: a second create would be a second run. */
  #start(): Promise<WithResponse<Data>> {
    if (this.#isRaw) return Promise.reject(new TypeError(onlyOnce));
    this.#started ??= this.#ways.data();
    return this.#started;
  }
}
