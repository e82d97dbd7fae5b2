import { Readable } from 'node:stream';
import { ApiProblem } from './problem.ts';

type SentFile = {
  name: string;
  contentType: string;
  bytes?: number | undefined;
  chunks: AsyncIterable<Buffer> | undefined;
};

/** A file that an agent may have written: browsers save it, and run nothing in it. */
export function sendFile({ name, contentType, bytes, chunks }: SentFile): Response {
  if (!chunks)
    throw new ApiProblem(
      'resource_not_found',
      "This file isn't here. It doesn't exist yet, was deleted, or is on another process of this service.",
    );
  const headers = {
    'content-type': contentType.startsWith('text/') ? `${contentType}; charset=utf-8` : contentType,
    'content-disposition': `attachment; filename*=UTF-8''${encodeName(name)}`,
    'content-security-policy': "sandbox; default-src 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(bytes !== undefined && { 'content-length': String(bytes) }),
  };
  const body = Readable.toWeb(Readable.from(chunks, { objectMode: false }));
  return new Response(body as ReadableStream, { headers });
}

/** Encoded as in RFC 8187. */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
