import type { Readable } from 'node:stream';
import { readableText } from 'base/readable-text';
import type { ChildEnd } from './process-group.ts';
import type { Sandbox } from './sandbox.ts';

type ToolOptions = {
  cwd: string;
  variables: Record<string, string>;
  timeoutMs: number;
  signal?: AbortSignal;
  input?: Readable;
};

const maxOutputCharacters = 2_000;

/**
 * Runs a system program, such as `cp`. `output` contains the last lines that the program printed, or how it ended if it
 * printed none.
 */
export async function runTool(
  run: Sandbox['run'],
  argv: readonly string[],
  { signal = new AbortController().signal, ...options }: ToolOptions,
): Promise<{ end: ChildEnd; code: number | undefined; output: string }> {
  let printed = '';
  const end = await run({
    ...options,
    argv,
    onOutput: (chunk) => {
      printed = (printed + chunk.toString()).slice(-maxOutputCharacters);
    },
    graceMs: 500,
    signal,
  });
  const lines = readableText(printed).trim().split('\n').slice(-2);
  const output = lines.join('\n').slice(-300) || end.how;
  return { end, code: end.how === 'exited' ? end.code : undefined, output };
}
