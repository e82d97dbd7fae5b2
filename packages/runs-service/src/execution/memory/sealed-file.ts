import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { closeSync, openSync, writeFileSync } from 'node:fs';

const algorithm = 'aes-256-gcm';
const partBytes = 1024 * 1024;
const tagBytes = 16;
/** Size of a part's header: one byte that marks the last part, and four with the part's length. */
const headBytes = 5;

/** Creates a key for one file. A key is never reused, so the number of a part is enough as its nonce. */
export const newFileKey = (): string => randomBytes(32).toString('base64url');

/** Thrown if a file was cut or changed, or if the key belongs to another file. */
export class BrokenSealError extends Error {
  override name = 'BrokenSeal';
}

function nonceOf(part: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(part);
  return nonce;
}

function headOf(isLast: boolean, length: number): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(isLast ? 1 : 0);
  head.writeUInt32BE(length, 1);
  return head;
}

type SealedWriter = {
  /** Adds a chunk. Keeps errors for `close`, because an exception in a stream's listener would end the process. */
  push(chunk: Buffer): void;
  /** Aborts at the size limit, or when writing fails. */
  full: AbortSignal;
  /**
   * Closes the file.
   * @throws the file system's error if the file couldn't be written
   */
  close(): void;
};

/** Creates a writer for an encrypted file of several parts, each with its own authentication tag (AES-256-GCM). */
export function createSealedWriter(file: string, key: string, limitBytes: number): SealedWriter {
  const descriptor = openSync(file, 'w', 0o600);
  const full = new AbortController();
  let failure: { error: unknown } | undefined;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let total = 0;
  let part = 0;

  function write(isLast: boolean): void {
    const plain = Buffer.concat(waiting);
    [waiting, waitingBytes] = [[], 0];
    const cipher = createCipheriv(algorithm, Buffer.from(key, 'base64url'), nonceOf(part));
    const head = headOf(isLast, plain.length);
    cipher.setAAD(head);
    const body = Buffer.concat([cipher.update(plain), cipher.final()]);
    part += 1;
    try {
      writeFileSync(descriptor, Buffer.concat([head, cipher.getAuthTag(), body]));
    } catch (error) {
      failure = { error };
      full.abort();
    }
  }

  return {
    push(chunk: Buffer): void {
      if (full.signal.aborted) return;
      total += chunk.length;
      if (total > limitBytes) {
        full.abort();
        return;
      }
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (waitingBytes >= partBytes) write(false);
    },
    full: full.signal,
    close(): void {
      if (!full.signal.aborted) write(true);
      closeSync(descriptor);
      if (failure) throw failure.error;
    },
  };
}

/**
 * Decrypts a sealed file and yields its parts.
 * @throws BrokenSealError if the file was cut or changed
 */
export async function* readSealed(
  chunks: AsyncIterable<Buffer>,
  key: string,
): AsyncGenerator<Buffer> {
  const source = createExactReader(chunks);
  try {
    for (let part = 0, isLast = false; !isLast; part += 1) {
      const head = await source.read(headBytes);
      const tag = await source.read(tagBytes);
      const body = await source.read(Math.min(head.readUInt32BE(1), 64 * partBytes));
      yield decrypt(key, part, { head, tag, body });
      isLast = head.readUInt8() === 1;
    }
  } finally {
    await source.close();
  }
}

function decrypt(key: string, part: number, sealed: Record<'head' | 'tag' | 'body', Buffer>) {
  try {
    const nonce = nonceOf(part);
    const decipher = createDecipheriv(algorithm, Buffer.from(key, 'base64url'), nonce, {
      authTagLength: tagBytes,
    });
    decipher.setAAD(sealed.head);
    decipher.setAuthTag(sealed.tag);
    return Buffer.concat([decipher.update(sealed.body), decipher.final()]);
  } catch (cause) {
    throw new BrokenSealError('the file was changed, or its key is gone', { cause });
  }
}

function createExactReader(chunks: AsyncIterable<Buffer>) {
  const iterator = chunks[Symbol.asyncIterator]();
  let held: Buffer[] = [];
  let heldBytes = 0;
  return {
    /**
     * Reads exactly `bytes` bytes of the file.
     * @throws BrokenSealError if the file has fewer left
     */
    async read(bytes: number): Promise<Buffer> {
      while (heldBytes < bytes) {
        const next = await iterator.next();
        if (next.done) throw new BrokenSealError('the file is incomplete');
        held.push(next.value);
        heldBytes += next.value.length;
      }
      const all = Buffer.concat(held);
      held = [all.subarray(bytes)];
      heldBytes -= bytes;
      return all.subarray(0, bytes);
    },
    close: async () => {
      await iterator.return?.();
    },
  };
}
