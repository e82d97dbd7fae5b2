import type { Readable } from 'node:stream';
import { parseJson } from 'base/parse-json';
import { sleep } from 'base/sleep';
import { z } from 'zod';
import type { Rejection } from './rejections.ts';

const maxErrorBytes = 64 * 1024;
const maxReadMs = 10_000;

/** Error response of a provider that can pass, or the gateway's own one in its place. */
export type ProviderError =
  | { body: Buffer; message: string | undefined }
  | { rejection: Rejection };

/**
 * Reads an error response of a provider. The body of a rejected key isn't passed on, and neither is one that contains the
 * key.
 */
export async function readProviderError(
  body: Readable,
  { status, key, provider }: { status: number; key: string | undefined; provider: string },
): Promise<ProviderError> {
  const name = `The model provider "${provider}"`;
  const own = (ownStatus: number, message: string): ProviderError => {
    body.on('error', () => undefined).destroy();
    return { rejection: { status: ownStatus, code: 'provider_error', message } };
  };
  if (status === 401)
    return own(401, `${name} rejected the key. Ask the operator of the runs service to check it.`);
  if (status === 403)
    return own(403, `${name} denied this call. Ask the operator of the runs service about it.`);
  if (status < 400)
    return own(502, `${name} responded with the status ${status}, which isn't followed.`);
  const bytes = await readAll(body);
  const text = bytes?.toString('utf8') ?? '';
  if (!bytes || (key !== undefined && text.includes(key)))
    return own(status, `${name} failed with status ${status}.`);
  return { body: bytes, message: messageIn(text) };
}

/** Returns the body. Undefined if it's too large, takes too long or is cut. */
async function readAll(body: Readable): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const isRead = new AbortController();
  void sleep(maxReadMs, isRead.signal).then(() => {
    if (!isRead.signal.aborted) body.destroy(new Error('too slow'));
  });
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > maxErrorBytes) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  } finally {
    isRead.abort();
  }
}

const errorSchema = z.looseObject({ error: z.looseObject({ message: z.string() }) });

function messageIn(text: string): string | undefined {
  const read = errorSchema.safeParse(parseJson(text));
  return read.success ? read.data.error.message : undefined;
}
