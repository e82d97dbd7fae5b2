import { Transform } from 'node:stream';
import { z } from 'zod';

/** Larger events pass immediately, because a chunk that has only usage is small. */
const maxEventBytes = 16 * 1024;
const newline = 0x0a;
const carriageReturn = 0x0d;

const usageChunkSchema = z.looseObject({
  choices: z.tuple([]),
  usage: z.looseObject({}),
});

/**
 * Drops the chunk that has only usage from a stream of Chat Completions. For agents that haven't requested it, because the
 * gateway adds `stream_options.include_usage` to every request.
 */
export function createChatUsageFilter(): Transform {
  let held: Buffer[] = [];
  let heldBytes = 0;
  /** True in an event that was too large to hold, until its end. */
  let passes = false;
  /** True after a newline, so that the next newline ends the event. */
  let isLineStart = true;

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let start = 0;
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at];
        if (byte === carriageReturn) continue;
        const ends = byte === newline && isLineStart;
        isLineStart = byte === newline;
        if (!ends) continue;
        this.push(endEvent(chunk.subarray(start, at + 1)));
        start = at + 1;
      }
      this.push(hold(chunk.subarray(start)));
      done();
    },
    flush(done) {
      this.push(endEvent(Buffer.alloc(0)));
      done();
    },
  });

  function endEvent(rest: Buffer): Buffer {
    const event = Buffer.concat([...held, rest]);
    const isDropped = !passes && hasOnlyUsage(event);
    held = [];
    heldBytes = 0;
    passes = false;
    return isDropped ? Buffer.alloc(0) : event;
  }

  /** Returns the bytes that can pass before the event ends. */
  function hold(bytes: Buffer): Buffer {
    if (passes) return bytes;
    held.push(bytes);
    heldBytes += bytes.length;
    if (heldBytes <= maxEventBytes) return Buffer.alloc(0);
    const event = Buffer.concat(held);
    held = [];
    heldBytes = 0;
    passes = true;
    return event;
  }
}

function hasOnlyUsage(event: Buffer): boolean {
  if (event.length > maxEventBytes || !event.includes('"usage"')) return false;
  const lines = event.toString().split(/\r?\n/);
  const data = lines.flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []));
  try {
    return usageChunkSchema.safeParse(JSON.parse(data.join('\n'))).success;
  } catch {
    return false;
  }
}
