import { isUtf8 } from 'node:buffer';
import { parseJson } from 'base/parse-json';
import { createMask, type Mask, maskValues } from 'base/secrets/mask-secrets';
import { withoutTerminalCommands } from './last-lines.ts';
import { createRedactor } from './redactor.ts';

type StreamName = 'stdout' | 'stderr';

type OutputStreams = {
  push(chunk: Buffer, stream: StreamName): void;
  /** Passes on the unfinished last line of each stream at the end. */
  end(): void;
};

/** Max length of a line, in bytes. Longer lines are passed on in pieces, to limit memory. */
const maxLineBytes = 4 * 1024 * 1024;

/**
 * Creates streams that pass on a command's output in whole lines, so that stdout and stderr don't mix within a line.
 * They mask the run's secrets and any text that looks like a secret.
 */
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

/** Creates a filter that passes on whole lines. It holds back an unfinished line until the line ends. */
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

const keyStart = /-{4,5} ?BEGIN [A-Z0-9 ]*PRIVATE KEY|PuTTY-User-Key-File-\d:/;
const keyEnd = /END [A-Z0-9 ]*PRIVATE KEY|Private-MAC: /g;
/** Max bytes to hold back after the start of a private key, while its end is missing. No private key is longer. */
const maxKeyBytes = 16 * 1024;

type LineMask = {
  /** Returns the lines with secrets masked. Holds back the lines of a private key until the key ends. */
  push(lines: Buffer): Buffer;
  flush(): Buffer;
};

/**
 * Creates a mask for a stream of whole lines. It finds secrets by their shape, as `maskSecrets` does in a text from
 * Slack.
 */
export function createLineMask(plainMask: Mask = createMask()): LineMask {
  const mask = inColors(plainMask);
  let held = Buffer.alloc(0);
  return {
    push(lines) {
      const all = Buffer.concat([held, lines]);
      const open = startOfOpenKey(all);
      const from = all.length - open > maxKeyBytes ? all.length : open;
      held = all.subarray(from);
      return masked(all.subarray(0, from), mask);
    },
    flush() {
      const rest = masked(held, mask);
      held = Buffer.alloc(0);
      return rest;
    },
  };
}

/**
 * Returns a mask that ignores colors, because a color can be in the middle of a secret. Only masked text loses its
 * colors.
 */
function inColors(mask: Mask): Mask {
  return (text) => {
    const plain = withoutTerminalCommands(text);
    const shown = mask(plain);
    return shown === plain ? text : shown;
  };
}

/**
 * Returns the position of the line in which an unfinished private key begins. Returns the length if there is no such
 * key.
 */
function startOfOpenKey(bytes: Buffer): number {
  const text = bytes.toString('latin1');
  const ended = [...text.matchAll(keyEnd)].at(-1)?.index ?? 0;
  const at = text.slice(ended).search(keyStart);
  return at < 0 ? bytes.length : text.lastIndexOf('\n', ended + at) + 1;
}

function masked(bytes: Buffer, mask: Mask): Buffer {
  // Read bytes that aren't UTF-8 as Latin-1, so that bytes outside of secrets don't change.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const shown = maskLines(text, mask);
  return shown === text ? bytes : Buffer.from(shown, encoding);
}

function maskLines(text: string, mask: Mask): string {
  if (!/^\{/m.test(text)) return mask(text);
  // Mask each line of an agent's JSON separately, and everything between them as one text.
  return text
    .split(/^(\{.*\n?)/m)
    .map((part) => (part.startsWith('{') ? maskEvent(part, mask) : mask(part)))
    .join('');
}

/**
 * Masks a line of an agent's JSON. Its strings are masked first, because escapes hide secrets. Then the whole line is
 * masked, because field names can mark secrets.
 */
function maskEvent(line: string, mask: Mask): string {
  const event = parseJson(line);
  if (event === undefined) return mask(line);
  const within = maskValues(event, mask);
  const isChanged = JSON.stringify(within) !== JSON.stringify(event);
  const masked = isChanged ? JSON.stringify(within) + (line.endsWith('\n') ? '\n' : '') : line;
  const named = mask(masked);
  return parseJson(named) === undefined ? masked : named;
}
