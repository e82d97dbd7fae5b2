import { createLineMask } from './line-mask.ts';
import { createRedactor } from './redactor.ts';

type StreamName = 'stdout' | 'stderr';

type OutputStreams = {
  push(chunk: Buffer, stream: StreamName): void;
  /** Passes on the last lines without a line end. */
  end(): void;
};

/** Harness events are whole lines. A longer line comes in pieces, to limit memory. */
const maxLineBytes = 4 * 1024 * 1024;

/** Passes on what a command prints in whole lines, without its secrets and what looks like others, so that the streams don't mix within a line. */
export function createOutputStreams(
  secrets: readonly string[],
  onLines: (lines: Buffer, stream: StreamName) => void,
): OutputStreams {
  const open = (stream: StreamName) => {
    const redactor = createRedactor(secrets);
    const mask = createLineMask();
    const pass = (masked: Buffer) => masked.length > 0 && onLines(masked, stream);
    const lines = createWholeLines((whole) => pass(mask.push(whole)));
    return {
      push: (chunk: Buffer) => lines.push(redactor.push(chunk)),
      end() {
        lines.push(redactor.flush());
        lines.end();
        pass(mask.flush());
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

/** Holds back unfinished lines until they end. */
export function createWholeLines(onLines: (lines: Buffer) => void) {
  let held: Buffer[] = [];
  let heldBytes = 0;

  function hold(part: Buffer): void {
    if (part.length > 0) held.push(part);
    heldBytes += part.length;
  }

  function release(): void {
    if (heldBytes > 0) onLines(Buffer.concat(held));
    held = [];
    heldBytes = 0;
  }

  return {
    push(chunk: Buffer): void {
      const end = chunk.lastIndexOf(0x0a) + 1;
      hold(chunk.subarray(0, end));
      if (end > 0 || heldBytes > maxLineBytes) release();
      hold(chunk.subarray(end));
    },
    end: release,
  };
}
