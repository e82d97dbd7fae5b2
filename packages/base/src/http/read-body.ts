import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Reads the body of a request. Returns undefined if it's too large, without reading the rest.
 * @throws if the sender disconnects
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    function take(chunk: Buffer): void {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= limit) return;
      request.off('data', take).pause();
      resolve(undefined);
    }
    request.on('data', take);
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

const closeAfterMs = 500;

/** Closes a request's connection a little after the answer, so that the sender of a large body can read the answer. */
export function closeAfterAnswer({ socket }: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => socket.setTimeout(closeAfterMs));
}
