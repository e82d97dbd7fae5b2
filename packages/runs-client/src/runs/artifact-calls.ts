import type { Artifact } from '../artifact.ts';
import type { CallOptions } from '../call-options.ts';
import { idPath } from '../http/address.ts';
import type { ApiCall, ApiCalls } from '../http/api-calls.ts';
import { describeConnectionFailure, ReplyBytes } from '../http/exchange.ts';
import type { Transport } from '../http/transport.ts';
import { RunsApiError } from '../runs-api-error.ts';

export type DownloadOptions = {
  /** Size limit in bytes. A larger file fails with `bad_response`. */
  maxBytes: number;
  /** Time limit of the whole download in ms; 60 s by default. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
};
export type Download = { contentType: string | undefined; bytes: Buffer };

/** Creates the methods of `client.artifacts`. */
export function createArtifactCalls(
  calls: ApiCalls,
  { origin, transport }: { origin: string; transport: Pick<Transport, 'dispatcher'> },
) {
  return {
    get: (uid: string, call?: CallOptions): ApiCall<Artifact> =>
      calls.typed(
        () => ({ method: 'GET', path: idPath('artifacts', uid) }),
        async () => (await import('../artifact.ts')).artifactSchema,
        call,
      ),

    /**
     * Downloads the file at a `download_url`. Sends no key and follows no redirects.
     * @throws RunsApiError if the address isn't allowed, the download fails, or the file is too large
     */
    async download(url: string, options: DownloadOptions): Promise<Download> {
      const { maxBytes, timeoutMs = 60_000, signal } = options;
      if (!canDownload(url, origin)) {
        const message = "the file isn't at an https: address; nothing was sent";
        throw new RunsApiError({ code: 'invalid_request', message, sent: false });
      }
      const deadline = AbortSignal.timeout(timeoutMs);
      try {
        return await readFile(url, {
          maxBytes,
          transport,
          signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
        });
      } catch (error) {
        if (error instanceof RunsApiError) throw error;
        signal?.throwIfAborted();
        if (!deadline.aborted) throw describeConnectionFailure(error, true);
        const message = `the file didn't arrive within ${timeoutMs} ms`;
        throw new RunsApiError({ code: 'timeout', message, retryable: true });
      }
    },
  };
}

/** Returns true for `https:` URLs. A file on the service's own origin can use `http:`. */
const canDownload = (url: string, origin: string): boolean =>
  URL.canParse(url) && (new URL(url).protocol === 'https:' || new URL(url).origin === origin);

type Reading = { maxBytes: number; signal: AbortSignal; transport: Pick<Transport, 'dispatcher'> };

async function readFile(url: string, reading: Reading): Promise<Download> {
  const { maxBytes, signal, transport } = reading;
  const [{ request }, dispatcher] = await Promise.all([import('undici'), transport.dispatcher()]);
  const { statusCode, headers, body } = await request(url, { signal, dispatcher });
  const fail = (details: ConstructorParameters<typeof RunsApiError>[0]): never => {
    body.on('error', () => {}).destroy();
    throw new RunsApiError(details);
  };
  if (statusCode !== 200) {
    const code = statusCode === 404 || statusCode === 410 ? 'not_found' : 'bad_response';
    const message = `the file's address answered with ${statusCode}`;
    fail({ code, message, status: statusCode, retryable: statusCode >= 500 });
  }
  const bytes = new ReplyBytes();
  for await (const chunk of body) {
    bytes.add(chunk);
    if (bytes.size > maxBytes)
      fail({ code: 'bad_response', message: `the file has more than ${maxBytes} bytes` });
  }
  const type = headers['content-type'];
  return {
    contentType: Array.isArray(type) ? type[0] : type,
    bytes: bytes.whole(),
  };
}
