import { type FileHandle, open } from 'node:fs/promises';
import { sleep } from 'base/sleep';
import { formatEvent } from '../../api/event-stream.ts';
import { outputParts } from './output-view.ts';
import type { TerminalStyle } from './terminal-lines.ts';

const pollMs = 100;
/** Number of reads of the output for each poll of the run. Polls are less frequent, because they need the database. */
const roundsPerPoll = 4;
const partBytes = 64 * 1024;
/**
 * Max length of a line to send as a whole, in bytes. A longer line is sent in pieces and shown as text, even if it's a
 * harness event.
 */
const maxLineBytes = 2 * 1024 * 1024;

type LiveSession = {
  outputFile: string;
  /** Bytes of output that the page already has. */
  from: number;
  /** Version that the page shows. The run can have changed since. */
  version: number;
  /**
   * Returns the run's version and new progress, or undefined if the run doesn't exist. `progress` is HTML. It's set
   * only if it has changed since the last poll.
   */
  poll: () => Promise<{ updatedAt: number; ended: boolean; progress?: string } | undefined>;
  signal: AbortSignal;
};

/**
 * Yields the events of a live page, until the run ends or the reader leaves. Output is sent in whole lines. Yields an
 * empty text if nothing has changed.
 */
export async function* followSession(session: LiveSession): AsyncGenerator<string> {
  let offset = session.from;
  let seen = session.version;
  let style: TerminalStyle | undefined;
  let now: Awaited<ReturnType<LiveSession['poll']>>;
  for (let round = 0; !session.signal.aborted; round += 1) {
    // Poll the run before reading its output. If the run has ended, the file is then complete.
    if (round % roundsPerPoll === 0) now = await session.poll();
    for (;;) {
      const part = await readPart(session.outputFile, offset, now?.ended ?? true);
      if (part.length === 0) break;
      offset += part.length;
      const rendered = outputParts(part.toString('utf8'), style);
      style = rendered.style;
      yield formatEvent('output', offset, JSON.stringify(rendered.parts.join('')));
    }
    if (now?.progress !== undefined)
      yield formatEvent('progress', offset, JSON.stringify(now.progress));
    if (!now || now.ended) {
      yield formatEvent('end', offset, '');
      return;
    }
    yield seen === now.updatedAt ? '' : formatEvent('changed', offset, '');
    seen = now.updatedAt;
    await sleep(pollMs, session.signal);
  }
}

/**
 * Reads whole lines from a position in the output. Also reads a partial line if `all` is true or the line is too long.
 */
async function readPart(path: string, offset: number, all: boolean): Promise<Buffer> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch {
    return Buffer.alloc(0);
  }
  try {
    for (let bytes = partBytes; ; bytes *= 2) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, offset);
      const part = buffer.subarray(0, bytesRead);
      const lineEnd = part.lastIndexOf(0x0a) + 1;
      if (lineEnd > 0) return part.subarray(0, lineEnd);
      if (bytesRead < bytes) return all ? part : Buffer.alloc(0);
      if (bytes >= maxLineBytes) return part;
    }
  } finally {
    await file.close();
  }
}
