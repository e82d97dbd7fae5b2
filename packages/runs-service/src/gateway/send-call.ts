import type { Readable, Transform } from 'node:stream';
import type { CallOutcome } from '../store/call-outcome.ts';
import { type CheckedCall, rejectCall, type SentCall } from './call.ts';
import { keepAliveMs } from './early-stream.ts';
import { headersForAgent, headersForProvider, upstreamIdOf } from './headers.ts';
import { decoderOf, passResponse } from './pass-response.ts';
import { readProviderError } from './provider-error.ts';
import type { ProviderProblem } from './provider-problems.ts';
import type { Upstream, UpstreamResponse } from './upstream.ts';
import { createUsageReader } from './usage/create-usage-reader.ts';

/** Time after which a silent provider counts as failed, in ms. */
const defaultSilenceMs = 20 * 60_000;

type SendDeps = {
  upstream: Upstream;
  /** Adds a problem to the run's timeline. */
  onProblem: (problem: ProviderProblem) => void;
  silenceMs?: number | undefined;
  keepAliveMs?: number | undefined;
};

/** State of a call between its request and its end. */
type Progress = Omit<SentCall, 'outcome' | 'status' | 'durationMs'> & {
  /** Time when the call was sent, by `performance.now`. */
  sentAt: number;
  /** Aborts if the provider is silent for too long. */
  silent: AbortController;
  silence: NodeJS.Timeout;
  signal: AbortSignal;
};

/**
 * Sends a call to its provider once, and passes the response on. Returns when the response has ended. Never sends it
 * again, because the provider can bill each attempt.
 * @param chunks body, which is forgotten as soon as the provider has it
 */
export async function sendCall(
  call: CheckedCall,
  chunks: Buffer[],
  { onDelivered, dropsUsage }: { onDelivered: () => void; dropsUsage: boolean },
  deps: SendDeps,
): Promise<SentCall> {
  const silent = new AbortController();
  const progress: Progress = {
    isBilled: false,
    sentAt: performance.now(),
    reader: undefined,
    firstByteAt: undefined,
    responseBytes: 0,
    upstreamId: undefined,
    silent,
    silence: setTimeout(() => silent.abort(), deps.silenceMs ?? defaultSilenceMs),
    signal: AbortSignal.any([call.signal, silent.signal]),
  };
  const { provider, route, request, key } = call;
  const end = (outcome: CallOutcome, status: number) => endOf(progress, outcome, status);
  try {
    const received = await deps.upstream.send(provider, {
      path: route.upstreamPath,
      headers: headersForProvider(provider.api, request.headers, key),
      chunks,
      signal: progress.signal,
      onSent: () => {
        progress.isBilled = true;
        progress.sentAt = performance.now();
      },
    });
    chunks.length = 0;
    onDelivered();
    progress.silence.refresh();
    progress.upstreamId = upstreamIdOf(received.headers);
    const { statusCode: status } = received;
    if (status < 200 || status > 299) return await passError(call, received, progress, deps);
    return await pass(call, received, dropsUsage, progress, deps);
  } catch (error) {
    if (call.signal.aborted) return end('canceled', 499);
    const isSilent = silent.signal.aborted;
    const kind = isSilent ? 'silent' : progress.isBilled ? 'cut' : unreachableBy(error);
    deps.onProblem({ kind });
    const status = isSilent ? 504 : 502;
    const message = `The model provider "${provider.name}" ${isSilent ? "didn't respond" : "can't be reached"}.`;
    rejectCall(call, { status, code: 'provider_unavailable', message });
    return end(progress.isBilled ? 'cut' : 'unreachable', status);
  } finally {
    clearTimeout(progress.silence);
  }
}

const endOf = (progress: Progress, outcome: CallOutcome, status: number): SentCall => ({
  ...progress,
  durationMs: performance.now() - progress.sentAt,
  outcome,
  status,
});

const unreachableBy = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'PRIVATE_ADDRESS'
    ? 'private_address'
    : 'unreachable';

async function passError(
  call: CheckedCall,
  { statusCode: status, headers, body }: UpstreamResponse,
  progress: Progress,
  { onProblem }: SendDeps,
): Promise<SentCall> {
  const { provider, response, key, early } = call;
  onProblem({ kind: 'status', status });
  progress.isBilled = false;
  const read = await readProviderError(body, { status, key, provider: provider.name });
  early.stop();
  const end = (sent: number) => endOf(progress, 'provider_error', sent);
  if ('rejection' in read) {
    rejectCall(call, read.rejection);
    return end(read.rejection.status);
  }
  if (response.headersSent) {
    const message = read.message ?? `The model provider failed with status ${status}.`;
    rejectCall(call, { status, code: 'provider_error', message });
  } else if (!response.destroyed) {
    response.writeHead(status, {
      ...headersForAgent(headers),
      'content-length': read.body.length,
    });
    response.end(read.body);
  }
  return end(status);
}

/** Passes a successful response on. */
async function pass(
  call: CheckedCall,
  { statusCode: status, headers, body }: UpstreamResponse,
  dropsUsage: boolean,
  progress: Progress,
  { onProblem, keepAliveMs: everyMs = keepAliveMs }: SendDeps,
): Promise<SentCall> {
  const { response, route, early } = call;
  const end = (outcome: CallOutcome, sent: number) => endOf(progress, outcome, sent);
  const contentType = String(headers['content-type'] ?? '');
  const isEvents = contentType.toLowerCase().includes('event-stream');
  const decoder = decoderOf(headers['content-encoding']);
  progress.reader = createUsageReader(route.flavor, contentType);
  early.stop();
  if (decoder === undefined) {
    body.on('error', () => undefined).destroy();
    onProblem({ kind: 'cut' });
    const message = 'The model provider sent a response in an unknown encoding.';
    rejectCall(call, { status: 502, code: 'provider_error', message });
    return end('cut', 502);
  }
  if (!response.headersSent) {
    const length = headers['content-length'];
    const keepsLength = decoder === 'none' && !isEvents && typeof length === 'string';
    response.writeHead(status, {
      ...headersForAgent(headers),
      ...(keepsLength && { 'content-length': length }),
    });
    response.flushHeaders();
  }
  const failed = upstreamFailure(body, decoder, call.signal);
  try {
    await passResponse(body, response, {
      decoder,
      dropsUsage: dropsUsage && isEvents,
      keepAlive: isEvents ? { flavor: route.flavor, everyMs } : undefined,
      reader: progress.reader,
      onBytes(bytes) {
        progress.firstByteAt ??= Date.now();
        progress.responseBytes += bytes;
        progress.silence.refresh();
      },
    });
    return end('completed', status);
  } catch {
    if (!failed()) return end('canceled', status);
    onProblem({ kind: progress.silent.signal.aborted ? 'silent' : 'cut' });
    return end('cut', status);
  }
}

/** Returns a function that returns true if the provider's response failed before the agent disconnected. */
function upstreamFailure(
  body: Readable,
  decoder: Transform | 'none',
  gone: AbortSignal,
): () => boolean {
  let hasFailed = false;
  const fail = () => {
    if (!gone.aborted) hasFailed = true;
  };
  body.on('error', fail);
  if (decoder !== 'none') decoder.on('error', fail);
  return () => hasFailed;
}
