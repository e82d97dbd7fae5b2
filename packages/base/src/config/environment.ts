/** Reads the environment variables of the process. No other file in the app reads `process.env`. */
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

export type Environment = Record<string, string | undefined>;

/**
 * Returns the environment variables of the process and those in `.env` in the working directory. The latter aren't
 * added to `process.env`, so no child process inherits them.
 */
export function processEnvironment(): Environment {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return { ...file, ...process.env };
}
