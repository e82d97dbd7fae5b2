import { createRedactor } from './redactor.ts';

export type StreamName = 'stdout' | 'stderr';

export type OutputStreams = {
  push(chunk: Buffer, stream: StreamName): void;
  /** Gives out what was printed without a line end. */
  end(): void;
};

/** A line is an event of a harness only when it is whole; a longer one is not worth the memory. */
const maxLineBytes = 4 * 1024 * 1024;

/**
 * What a command prints, without secrets and in whole lines: as soon as a line has ended, and never one stream in the
 * middle of the other's line. A line that is too long comes in pieces.
 */
export function createOutputStreams(
  secrets: readonly string[],
  onLines: (lines: Buffer, stream: StreamName) => void,
): OutputStreams {
  const open = (stream: StreamName) => {
    const redactor = createRedactor(secrets);
    const lines = createWholeLines((whole) => onLines(whole, stream));
    return {
      push: (chunk: Buffer) => lines.push(redactor.push(chunk)),
      end() {
        lines.push(redactor.flush());
        lines.end();
      },
    };
  };
  const streams = { stdout: open('stdout'), stderr: open('stderr') };
  return {
    push: (chunk, stream) => streams[stream].push(chunk),
    end() {
      streams.stdout.end();
      streams.stderr.end();
    },
  };
}

/** Gives out what is pushed up to its last line end, and the rest when its line has ended or at the end. */
export function createWholeLines(onLines: (lines: Buffer) => void) {
  let begun: Buffer[] = [];
  let begunBytes = 0;

  function hold(part: Buffer): void {
    if (part.length > 0) begun.push(part);
    begunBytes += part.length;
  }

  function giveOut(): void {
    if (begunBytes > 0) onLines(Buffer.concat(begun));
    begun = [];
    begunBytes = 0;
  }

  return {
    push(chunk: Buffer): void {
      const end = chunk.lastIndexOf(0x0a) + 1;
      hold(chunk.subarray(0, end));
      if (end > 0 || begunBytes > maxLineBytes) giveOut();
      hold(chunk.subarray(end));
    },
    end: giveOut,
  };
}
