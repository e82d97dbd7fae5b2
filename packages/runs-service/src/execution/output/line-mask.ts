import { isUtf8 } from 'node:buffer';
import { parseJson } from 'base/parse-json';
import { createMask, type Mask, maskValues } from 'base/secrets/mask-secrets';
import { withoutTerminalCommands } from './last-lines.ts';

const keyStart = /-{4,5} ?BEGIN [A-Z0-9 ]*PRIVATE KEY|PuTTY-User-Key-File-\d:/;
const keyEnd = /END [A-Z0-9 ]*PRIVATE KEY|Private-MAC: /g;
/** No private key is longer. */
const maxKeyBytes = 16 * 1024;

type LineMask = {
  /** Returns the lines but those of a key that continues. */
  push(lines: Buffer): Buffer;
  flush(): Buffer;
};

/** Masks what looks like a secret in a stream of whole lines, as `maskSecrets` does in a text from Slack. */
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

/** A color can be in the middle of a secret. Text with one loses its colors. */
function inColors(mask: Mask): Mask {
  return (text) => {
    const plain = withoutTerminalCommands(text);
    const shown = mask(plain);
    return shown === plain ? text : shown;
  };
}

/** Where the line begins in which a key starts that doesn't end; the length if there is none. */
function startOfOpenKey(bytes: Buffer): number {
  const text = bytes.toString('latin1');
  const ended = [...text.matchAll(keyEnd)].at(-1)?.index ?? 0;
  const at = text.slice(ended).search(keyStart);
  return at < 0 ? bytes.length : text.lastIndexOf('\n', ended + at) + 1;
}

function masked(bytes: Buffer, mask: Mask): Buffer {
  // Bytes that aren't text keep their values as Latin-1.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const shown = maskLines(text, mask);
  return shown === text ? bytes : Buffer.from(shown, encoding);
}

function maskLines(text: string, mask: Mask): string {
  if (!/^\{/m.test(text)) return mask(text);
  // Lines of an agent's JSON one by one, everything between them as one text.
  return text
    .split(/^(\{.*\n?)/m)
    .map((part) => (part.startsWith('{') ? maskEvent(part, mask) : mask(part)))
    .join('');
}

/** Escapes hide secrets in JSON, so its strings are masked first, then what its names say about them. */
function maskEvent(line: string, mask: Mask): string {
  const event = parseJson(line);
  if (event === undefined) return mask(line);
  const within = maskValues(event, mask);
  const isChanged = JSON.stringify(within) !== JSON.stringify(event);
  const known = isChanged ? JSON.stringify(within) + (line.endsWith('\n') ? '\n' : '') : line;
  const named = mask(known);
  return parseJson(named) === undefined ? known : named;
}
