import type { IncomingMessage } from 'node:http';
import type { Rejection } from '../rejections.ts';
import type { Budget } from './budget.ts';

const maxBodyBytes = 64 * 1024 * 1024;
const maxReadMs = 60_000;

type ReadBody = { chunks: Buffer[]; bytes: number } | { rejection: Rejection } | 'gone';

const tooLarge: Rejection = {
  status: 413,
  code: 'request_too_large',
  message: 'The request body is larger than 64 MiB.',
};
const tooSlow: Rejection = {
  status: 408,
  code: 'request_timeout',
  message: 'The request body took longer than a minute to arrive.',
};
export const busy: Rejection = {
  status: 503,
  code: 'busy',
  message: 'The runs service has too many model calls in progress. Send the call again.',
  retryAfterSeconds: 5,
};

/**
 * Reads a request body into memory, which the budgets limit.
 * @param onChunk called with each chunk
 * @param taken bytes that were taken from each budget. The caller gives them back
 */
export async function readBody(
  request: IncomingMessage,
  {
    budgets,
    taken,
    onChunk,
    signal,
  }: {
    budgets: readonly Budget[];
    taken: Map<Budget, number>;
    onChunk: (chunk: Buffer) => void;
    signal: AbortSignal;
  },
): Promise<ReadBody> {
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return { rejection: tooLarge };
  const late = AbortSignal.timeout(maxReadMs);
  const ends = AbortSignal.any([signal, late]);
  const stop = () => request.destroy();
  signal.addEventListener('abort', stop);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > maxBodyBytes) return { rejection: tooLarge };
      for (const budget of budgets) {
        if (!(await budget.take(chunk.length, ends)))
          return { rejection: late.aborted ? tooSlow : busy };
        taken.set(budget, (taken.get(budget) ?? 0) + chunk.length);
      }
      if (late.aborted) return { rejection: tooSlow };
      onChunk(chunk);
      chunks.push(chunk);
    }
    return { chunks, bytes };
  } catch {
    // Reading fails only if the agent disconnects.
    return 'gone';
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
