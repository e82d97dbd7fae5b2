import { type FileHandle, open } from 'node:fs/promises';
import { sleep } from '../../../lib/sleep.ts';
import { outputParts } from './output-parts.ts';
import type { TerminalStyle } from './terminal-lines.ts';

const lookMs = 400;
const partBytes = 64 * 1024;
/** An event of a harness is read only when its line is whole; a longer line comes in pieces, as it is. */
const maxLineBytes = 2 * 1024 * 1024;

export type LiveEvent = { event: 'output' | 'changed' | 'end'; id: string; data: string };

export type LiveSession = {
  outputFile: string;
  /** Bytes of output that the page has already. */
  from: number;
  /** Changes whenever the run does; undefined when it is gone. */
  look: () => Promise<{ updatedAt: number; ended: boolean } | undefined>;
  signal: AbortSignal;
};

/** What happens to a run from now on, until it has ended or the reader has gone. Only whole lines are given out. */
export async function* followSession(session: LiveSession): AsyncGenerator<LiveEvent> {
  let offset = session.from;
  let seen: number | undefined;
  let style: TerminalStyle | undefined;
  while (!session.signal.aborted) {
    // The look comes first: what was printed before the end is then in the file.
    const now = await session.look();
    for (;;) {
      const part = await readPart(session.outputFile, offset, now?.ended ?? true);
      if (part.length === 0) break;
      offset += part.length;
      const rendered = outputParts(part.toString('utf8'), style);
      style = rendered.style;
      yield {
        event: 'output',
        id: String(offset),
        data: JSON.stringify(rendered.parts.join('')),
      };
    }
    if (!now || now.ended) {
      yield { event: 'end', id: String(offset), data: '' };
      return;
    }
    if (seen !== undefined && seen !== now.updatedAt)
      yield { event: 'changed', id: String(offset), data: '' };
    seen = now.updatedAt;
    await sleep(lookMs, session.signal);
  }
}

/** Up to the last line end, or everything when the line is too long or nothing more will come. */
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
