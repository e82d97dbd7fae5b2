import { lastLines } from '../output/last-lines.ts';
import { createOutputTail } from '../output/output-tail.ts';
import { type ChildEnd, runInGroup } from './process-group.ts';

export type ToolOptions = {
  cwd?: string;
  variables: Record<string, string>;
  timeoutMs: number;
  signal?: AbortSignal;
};

/** Runs a program of the system, such as `cp`. `words` are its last lines, or how it ended if it printed none. */
export async function runTool(
  command: readonly string[],
  { cwd = '/', variables, timeoutMs, signal = new AbortController().signal }: ToolOptions,
): Promise<{ end: ChildEnd; code: number | undefined; words: string }> {
  const tail = createOutputTail(4_096);
  const end = await runInGroup({
    command,
    variables,
    cwd,
    onOutput: (chunk) => tail.push(chunk),
    timeoutMs,
    graceMs: 500,
    signal,
  });
  const words = lastLines(tail.text(), { lines: 2, characters: 300 }) || end.how;
  return { end, code: end.how === 'exited' ? end.code : undefined, words };
}
