/** Reads the environment of the process. No other file does. */
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

export type Environment = Record<string, string | undefined>;

/**
 * Returns the environment of the process, plus variables from `.env` in the working directory. Those don't become part
 * of `process.env`, so no child process inherits them.
 */
export function processEnvironment(): Environment {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return { ...file, ...process.env };
}
