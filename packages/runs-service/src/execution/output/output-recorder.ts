import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export type OutputRecorder = {
  /** Records a chunk. Starts a new line first if another source left its line unfinished. */
  write(chunk: Buffer, source: unknown): void;
  /**
   * Writes the last bytes of output that was too long, then closes the file. Returns the system's error message if
   * writing failed.
   */
  close(): string | undefined;
};

const tailBytes = 16_384;
const lineEnd = Buffer.from('\n');

/**
 * Creates a recorder that limits the output file to about `limitBytes`. It keeps the start of the output and its last
 * bytes. It writes synchronously, because chunks are small and must stay in order.
 */
export function createOutputRecorder(file: string, limitBytes: number): OutputRecorder {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const descriptor = openSync(file, 'a', 0o600);
  let written = 0;
  let skipped = 0;
  const tail = createOutputTail(tailBytes);
  let failure: string | undefined;
  let closed = false;
  let lastSource: unknown;
  let isInLine = false;

  function record(chunk: Buffer): void {
    const room = Math.max(0, limitBytes - written);
    const fitting = chunk.subarray(0, room);
    if (fitting.length > 0) append(fitting);
    written += fitting.length;
    skipped += chunk.length - fitting.length;
    tail.push(chunk);
  }

  function append(chunk: Buffer | string): void {
    try {
      writeSync(descriptor, chunk as Buffer);
    } catch (error) {
      failure ??= error instanceof Error ? error.message : String(error);
    }
  }

  return {
    write(chunk, source) {
      if (closed || chunk.length === 0) return;
      if (isInLine && source !== lastSource) record(lineEnd);
      record(chunk);
      lastSource = source;
      isInLine = chunk.at(-1) !== lineEnd[0];
    },
    close() {
      if (closed) return failure;
      closed = true;
      if (skipped > 0) {
        const end = tail.bytes().subarray(-Math.min(skipped, tailBytes));
        const missing = skipped - end.length;
        append(`\n[… ${missing} bytes skipped: the output limit is ${limitBytes} bytes …]\n`);
        append(end);
      }
      closeSync(descriptor);
      return failure;
    },
  };
}

/** Creates a buffer that keeps only the last bytes of an output. */
export function createOutputTail(bytes: number) {
  let kept = Buffer.alloc(0);
  return {
    push(chunk: Buffer): void {
      kept = Buffer.concat([kept, chunk.subarray(-bytes)]).subarray(-bytes);
    },
    bytes: () => kept,
    text: () => kept.toString('utf8'),
  };
}
