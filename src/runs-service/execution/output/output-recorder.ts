import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { createOutputTail } from './output-tail.ts';

export type OutputRecorder = {
  /** Begins a new line when the line before is of another source and has no end. */
  write(chunk: Buffer, source: unknown): void;
  /** Writes what was kept of the end; gives the system's words if something could not be written. */
  close(): string | undefined;
};

const tailBytes = 16_384;
const lineEnd = Buffer.from('\n');

/**
 * Keeps a command's output in a file of about `limitBytes`: the beginning as it comes, and of what goes beyond the
 * limit only the last bytes. Writing is synchronous: the chunks are small, few (the limit) and must stay in order.
 */
export function createOutputRecorder(file: string, limitBytes: number): OutputRecorder {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const descriptor = openSync(file, 'a', 0o600);
  let written = 0;
  let leftOut = 0;
  const tail = createOutputTail(tailBytes);
  let failure: string | undefined;
  let closed = false;
  let writer: unknown;
  let inLine = false;

  function keep(chunk: Buffer): void {
    const room = Math.max(0, limitBytes - written);
    const kept = chunk.subarray(0, room);
    if (kept.length > 0) append(kept);
    written += kept.length;
    leftOut += chunk.length - kept.length;
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
      if (inLine && source !== writer) keep(lineEnd);
      keep(chunk);
      writer = source;
      inLine = chunk.at(-1) !== lineEnd[0];
    },
    close() {
      if (closed) return failure;
      closed = true;
      if (leftOut > 0) {
        const end = tail.bytes().subarray(-Math.min(leftOut, tailBytes));
        const missing = leftOut - end.length;
        append(`\n[… ${missing} bytes left out: the output limit is ${limitBytes} bytes …]\n`);
        append(end);
      }
      closeSync(descriptor);
      return failure;
    },
  };
}
