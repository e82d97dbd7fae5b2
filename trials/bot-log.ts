import { readFileSync } from 'node:fs';
import { z } from 'zod';

const lineSchema = z.object({
  level: z.number(),
  msg: z.string(),
  err: z.object({ message: z.string() }).optional(),
});
const errorLevel = 50;

/**
 * Returns unexpected lines in the bots' logs: errors, and text that isn't a log line, such as a stack trace of a crash.
 * The last line before a kill can be truncated.
 */
export function readSurprises(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean).flatMap(surpriseIn);
}

function surpriseIn(line: string): string[] {
  const logged = lineSchema.safeParse(parse(line)).data;
  if (!logged) return line.startsWith('{"level"') ? [] : [line];
  if (logged.level < errorLevel) return [];
  return [[logged.msg, logged.err?.message].filter(Boolean).join(': ')];
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
