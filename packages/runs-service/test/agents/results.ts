import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Outcome of each check, and what the program itself reported under `reported`. */
type Results = Record<string, boolean | string>;

/** Returns the file with a program's outcomes, which is kept until the matrix is written. */
export const resultsFile = (folder: string, name: string): string =>
  join(folder, `results-${name.replaceAll(' ', '')}.json`);

export function readResults(folder: string, name: string): Results {
  const file = resultsFile(folder, name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : {};
}
