import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'base/logger';
import { parseJson } from 'base/parse-json';
import { sleep } from 'base/sleep';
import { z } from 'zod';
import {
  type FinishedFile,
  finishedAnswerSchema,
  receivedSchema,
  workerHeader,
} from '../protocol.ts';

type LinkOptions = {
  serviceUrl: string;
  runId: string;
  token: string;
  worker: string;
  /** Called when the service reports that the run has ended. */
  onOver: () => void;
  /** Signal that ends all waiting for the service when it aborts. */
  signal: AbortSignal;
  logger: Logger;
};

type Call<Schema extends z.ZodType> = {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  body?: unknown;
  answer: Schema;
  /** Additional time in which the service must answer, in ms. */
  waitMs?: number;
  signal?: AbortSignal;
};

const answerMs = 30_000;
const retryMs = { first: 250, most: 5_000 };
/**
 * Max attempts to fetch a file. A retry can reach another service process behind the same URL, which may have the file.
 */
const fetchTries = 4;
/** Time in which the service must read and store a file, in ms. */
export const storeMs = 2 * 60_000;
const chunkBytes = 1024 * 1024;
/**
 * Creates a client of the runs service. Each call is repeated until the service answers, so calls wait while the
 * service is down.
 */
export function createServiceLink(options: LinkOptions) {
  const { serviceUrl, runId, token, worker, onOver, logger } = options;
  const address = `${serviceUrl.replace(/\/$/, '')}/dispatched/${encodeURIComponent(runId)}`;
  const headers = { authorization: `Bearer ${token}`, [workerHeader]: worker };

  async function exchange(path: string, init: RequestInit, signal: AbortSignal, waitMs = 0) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(answerMs + waitMs)]);
    const response = await fetch(`${address}${path}`, {
      ...init,
      headers: { ...headers, ...init.headers },
      signal: limit,
      redirect: 'error',
    });
    if (response.ok) return response;
    const problem = await readProblem(response);
    if (problem instanceof RunEndedError) onOver();
    throw problem;
  }

  /** Repeats `work` while the service is down. Throws if the service rejects the request for good. */
  async function retryWhileDown<T>(
    work: (signal: AbortSignal) => Promise<T>,
    callSignal?: AbortSignal,
  ) {
    const signal = callSignal ? AbortSignal.any([callSignal, options.signal]) : options.signal;
    for (let pauseMs = retryMs.first; ; pauseMs = Math.min(2 * pauseMs, retryMs.most)) {
      signal.throwIfAborted();
      try {
        return await work(signal);
      } catch (error) {
        if (isFinal(error) || signal.aborted) throw error;
        logger.warn({ err: error }, 'the service cannot be reached; trying again');
      }
      await sleep(pauseMs * (0.5 + Math.random()), signal);
    }
  }

  async function call<Schema extends z.ZodType>({
    method,
    path,
    body,
    answer,
    waitMs,
    signal: callSignal,
  }: Call<Schema>): Promise<z.infer<Schema>> {
    const init: RequestInit = {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    };
    return retryWhileDown(async (signal) => {
      const response = await exchange(path, init, signal, waitMs);
      return readAnswer(response, answer);
    }, callSignal);
  }

  /**
   * Sends one chunk of a file.
   * @returns the number of bytes of the file that the service has received so far
   */
  async function sendChunk(name: string, offset: number, chunk: Buffer): Promise<number> {
    return retryWhileDown(async (signal) => {
      const path = `/files/${name}?offset=${offset}`;
      const response = await exchange(path, { method: 'PUT', body: new Uint8Array(chunk) }, signal);
      return (await readAnswer(response, receivedSchema)).have;
    });
  }

  /**
   * Sends the part of a file from an offset to its end, even if the part is empty.
   * @returns the next offset
   */
  async function sendFrom(name: string, file: string, from: number): Promise<number> {
    const handle = await open(file, 'r');
    try {
      const buffer = Buffer.alloc(chunkBytes);
      for (let offset = from; ; ) {
        const { bytesRead } = await handle.read(buffer, 0, chunkBytes, offset);
        if (bytesRead > 0 || offset === 0)
          offset = await sendChunk(name, offset, buffer.subarray(0, bytesRead));
        if (bytesRead === 0) return offset;
      }
    } finally {
      await handle.close();
    }
  }

  /**
   * Sends a file until the service has all of it. The answer can come from another service process, which doesn't have
   * the file yet. Then the whole file is sent again.
   * @throws Error if the file's size isn't the announced size
   */
  async function sendFile(name: string, file: string, about: FinishedFile): Promise<void> {
    for (;;) {
      const sent = await sendFrom(name, file, 0);
      if (sent !== about.bytes) throw new Error(`${name} changed while it was sent.`);
      const path = `/files/${name}`;
      const done = { method: 'POST' as const, path, body: about, answer: finishedAnswerSchema };
      if (!(await call({ ...done, waitMs: storeMs })).missing) return;
      await sleep(retryMs.first, options.signal);
    }
  }

  /**
   * Fetches a file once.
   * @returns true if the file has the expected size
   */
  async function fetchOnce(name: string, file: string, bytes: number): Promise<boolean> {
    return retryWhileDown(async (signal) => {
      const response = await exchange(`/files/${name}`, {}, signal, 10 * 60_000);
      const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
      const written = createWriteStream(file, { mode: 0o600 });
      await pipeline(body, written);
      return written.bytesWritten === bytes;
    }).catch((error) => {
      if (error instanceof MissingFileError) return false;
      throw error;
    });
  }

  /** Fetches a whole file. Returns false if the file was deleted or changed meanwhile. */
  async function fetchFile(name: string, file: string, bytes: number): Promise<boolean> {
    for (let tries = 0; tries < fetchTries; tries += 1) {
      await sleep(tries === 0 ? 0 : retryMs.first * 2 ** tries, options.signal);
      if (await fetchOnce(name, file, bytes)) return true;
    }
    await rm(file, { force: true });
    return false;
  }

  return { call, sendFrom, sendFile, fetchFile };
}
export type ServiceLink = ReturnType<typeof createServiceLink>;

/** Thrown if the run has ended or belongs to another process. */
export class RunEndedError extends Error {
  override name = 'RunOver';
}

/** Thrown if the service will never accept this request. */
export class RequestRejectedError extends Error {
  override name = 'Rejected';
}

/** Thrown if the answer can't be read, because the service runs another version of slash-agent. */
export class UnreadableAnswerError extends RequestRejectedError {
  override name = 'Unreadable';

  constructor(where: string) {
    super(
      `The runs service and the process of this run don't understand each other (${where}). Use the same version of slash-agent for both, then run this again.`,
    );
  }
}

/** Thrown if the service process that answers doesn't have the file. */
export class MissingFileError extends RequestRejectedError {
  override name = 'NotThere';
}

const isFinal = (error: unknown) =>
  error instanceof RunEndedError || error instanceof RequestRejectedError;

const problemPrefix = 'urn:slash-agent:problem:';
const problemSchema = z.object({ type: z.string().startsWith(problemPrefix), detail: z.string() });

/**
 * Parses an answer of the service.
 * @throws UnreadableAnswerError if the service runs another version of slash-agent
 * @throws Error if a proxy answered
 */
export async function readAnswer<Schema extends z.ZodType>(
  response: Response,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const body = parseJson(await response.text());
  if (body === undefined) throw new Error('The answer is no JSON.');
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  throw new UnreadableAnswerError(read.error.issues[0]?.path.join('.') || 'the answer');
}

/** Reads the reason why the service rejected a request. */
export async function readProblem(response: Response): Promise<Error> {
  const found = problemSchema.safeParse(parseJson(await response.text()));
  // Report only the status if the answer isn't a problem, because a proxy can answer while the service restarts.
  if (!found.success) return new Error(`The service answered with ${response.status}.`);
  const problem = found.data.type.slice(problemPrefix.length);
  if (runEndedProblems.has(problem)) return new RunEndedError(problem);
  if (problem === 'resource_not_found') return new MissingFileError(found.data.detail);
  const isRejected = ![409, 429].includes(response.status) && response.status < 500;
  return isRejected ? new RequestRejectedError(found.data.detail) : new Error(found.data.detail);
}

const runEndedProblems = new Set(['already_ended', 'authentication_required', 'not_authorized']);
