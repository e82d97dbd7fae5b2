import type { Readable } from 'node:stream';
import type { HttpReply, ReplyHeaders } from './exchange.ts';
import { readRequestId } from './read-failure.ts';

/** The answer around the data. */
export type ReplyInfo = { status: number; headers: ReplyHeaders; requestId: string | undefined };
export type WithResponse<Data> = ReplyInfo & { data: Data };
/** Nothing of the body is read: read it to its end, or destroy it. */
export type RawResponse = ReplyInfo & { body: Readable };

/** The two ways to run one call. */
export type CallWays<Data> = {
  data: () => Promise<WithResponse<Data>>;
  raw: () => Promise<HttpReply<Readable>>;
};

const onlyOnce =
  'asResponse() must be asked right where the call is made, once, and instead of awaiting the call';

/**
 * A call that is under way: await it for its data, or ask for more of the answer.
 * `asResponse` must be asked right where the call is made, since the body is read otherwise.
 */
export class ApiCall<Data> implements Promise<Data> {
  readonly [Symbol.toStringTag] = 'ApiCall';
  readonly #ways: CallWays<Data>;
  #started: Promise<WithResponse<Data>> | undefined;
  #isRaw = false;

  constructor(ways: CallWays<Data>) {
    this.#ways = ways;
    // Starts also when nobody awaits it, but not before `asResponse` could be asked.
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

  // biome-ignore lint/suspicious/noThenProperty: it is a promise, of data that is read on demand
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

  /** Never twice, and never beside `asResponse`: a second create would be a second run. */
  #start(): Promise<WithResponse<Data>> {
    if (this.#isRaw) return Promise.reject(new TypeError(onlyOnce));
    this.#started ??= this.#ways.data();
    return this.#started;
  }
}
