import { Readable } from 'node:stream';
import { RunsApiError } from '../runs-api-error.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type HttpRequest = {
  method: HttpMethod;
  /** Path and query, from the root of the origin. */
  path: string;
  /** Alternating header names and values, because undici processes this form fastest. */
  headers: string[];
  body?: string | undefined;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
};

export type ReplyHeaders = Readonly<Record<string, string | string[] | undefined>>;

export type HttpReply<Body> = { status: number; headers: ReplyHeaders; body: Body };

/**
 * Callbacks for the response: `onBody` gets the whole body, up to `maxBytes`. `onStream`, if set, gets the unread body
 * of a success.
 */
type Sink = {
  maxBytes: number;
  onBody: (reply: HttpReply<Buffer>) => void;
  onStream?: (reply: HttpReply<Readable>) => void;
};

/** Methods that undici passes to control a request. */
type Controller = { abort(reason: Error): void; pause(): void; resume(): void };

/** Error of a response that exceeds the size limit. A smaller page of a list may fit. */
export class ReplyTooLargeError extends Error {
  override readonly name = 'ReplyTooLargeError';
}

/**
 * Handles one request as a dispatch handler for undici. The exchange settles once: by response, failure, deadline or
 * the caller's signal.
 */
export class Exchange {
  readonly #request: HttpRequest;
  readonly #reject: (reason: unknown) => void;
  readonly #sink: Sink;
  readonly #bytes = new ReplyBytes();
  #status = 0;
  #headers: ReplyHeaders = {};
  #stream: Readable | undefined;
  #controller: Controller | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sent = false;
  #over = false;

  constructor(request: HttpRequest, reject: (reason: unknown) => void, sink: Sink) {
    this.#request = request;
    this.#reject = reject;
    this.#sink = sink;
  }

  begin(dispatch: () => Promise<unknown>): void {
    const { signal, timeoutMs } = this.#request;
    if (signal?.aborted) {
      this.#fail(signal.reason);
      return;
    }
    signal?.addEventListener('abort', this.#abort, { once: true });
    this.#timer = setTimeout(this.#expire, timeoutMs);
    dispatch().catch((error: unknown) =>
      this.#fail(
        error instanceof RunsApiError ? error : describeConnectionFailure(error, this.#sent),
      ),
    );
  }

  /** Marks the request as sent. undici calls this method right before it writes to the socket. */
  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new Error('ended before it was sent'));
    else this.#sent = true;
  }

  onResponseStart(controller: Controller, status: number, headers: ReplyHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (this.#sink.onStream && status < 300) {
      this.#stream = this.#openStream(controller);
      this.#sink.onStream({ status, headers, body: this.#stream });
    } else if (Number(headers['content-length'] ?? 0) > this.#sink.maxBytes) {
      this.#failTooLarge();
    }
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#stream) {
      if (!this.#stream.push(chunk)) controller.pause();
      return;
    }
    this.#bytes.add(chunk);
    if (this.#bytes.size > this.#sink.maxBytes) this.#failTooLarge();
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#finish();
    if (this.#stream) {
      this.#stream.push(null);
      return;
    }
    const body = this.#bytes.whole();
    this.#sink.onBody({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_: Controller, error: Error): void {
    this.#fail(describeConnectionFailure(error, this.#sent));
  }

  /** Returns the body as a stream that is received only as fast as it's read. The deadline no longer applies. */
  #openStream(controller: Controller): Readable {
    controller.pause();
    clearTimeout(this.#timer);
    const stream = new Readable({
      read: () => controller.resume(),
      destroy: (error, done) => {
        this.#fail(error ?? new Error('the reader stopped'));
        done(error);
      },
    });
    // Add a listener, because an error in a body that no one reads would end the process. Readers still get the
    // error.
    return stream.on('error', () => {});
  }

  /**
   * Fails the exchange with this reason. Ignores later reasons, because undici also reports that the exchange was
   * aborted.
   */
  #fail(reason: unknown): void {
    if (this.#over) return;
    this.#finish();
    this.#controller?.abort(new Error('ended'));
    if (this.#stream) this.#stream.destroy(reason instanceof Error ? reason : new Error('aborted'));
    this.#reject(reason);
  }

  #finish(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#abort);
  }

  #failTooLarge(): void {
    const message = `the runs API sent more than ${this.#sink.maxBytes} bytes; use a smaller "limit" or raise maxReplyBytes`;
    const [status, cause] = [this.#status, new ReplyTooLargeError('the limit is maxReplyBytes')];
    this.#fail(new RunsApiError({ code: 'bad_response', message, status, cause }));
  }

  #abort = () => this.#fail(this.#request.signal?.reason);

  #expire = () => {
    const { method, timeoutMs } = this.#request;
    const message = `the runs API didn't answer a ${method} within the remaining ${Math.ceil(timeoutMs)} ms`;
    this.#fail(new RunsApiError({ code: 'timeout', message, retryable: true, sent: this.#sent }));
  };
}

/** Returns the code of an error. undici and Node store it in `code` of the error or of its `cause`. */
function readCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return readCode(error.cause);
}

const closedCodes = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);
const unsendableCodes = new Set(['UND_ERR_INVALID_ARG', 'ERR_INVALID_CHAR']);

/** Creates the error of a failed connection. Pass `sent: false` only if the request was certainly never sent. */
export function describeConnectionFailure(error: unknown, sent: boolean): RunsApiError {
  const reason = readCode(error) || (error instanceof Error ? error.name : 'unknown');
  if (closedCodes.has(reason)) {
    const message = 'the runs client was closed; create a new one';
    return new RunsApiError({ code: 'closed', message, sent, cause: error });
  }
  if (unsendableCodes.has(reason)) {
    const message = 'HTTP forbids this header or path; nothing was sent';
    return new RunsApiError({ code: 'invalid_request', message, sent: false });
  }
  const what = sent ? 'the connection to the runs API broke' : "the runs API can't be reached";
  const message = `${what} (${reason}); check its base URL and that the service is up`;
  return new RunsApiError({ code: 'connection', message, retryable: true, sent, cause: error });
}

/**
 * Number of received chunks that are merged into one, because Node needs more than a hundred bytes for every buffer.
 */
const piecesAtOnce = 1_024;

/** Collects the chunks of a response body. Many tiny chunks need little more memory than one large chunk. */
export class ReplyBytes {
  readonly #merged: Buffer[] = [];
  #recent: Buffer[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(chunk: Buffer): void {
    this.#size += chunk.length;
    this.#recent.push(chunk);
    if (this.#recent.length < piecesAtOnce) return;
    this.#merged.push(Buffer.concat(this.#recent));
    this.#recent = [];
  }

  whole(): Buffer {
    const pieces = [...this.#merged, ...this.#recent];
    const [first] = pieces;
    return first && pieces.length === 1 ? first : Buffer.concat(pieces);
  }
}
