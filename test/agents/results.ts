import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the outcomes of a program's checks are kept until the matrix is written. */
export const resultsFile = (folder: string, harness: string): string =>
  join(folder, `results-${harness}.json`);

export function readResults(folder: string, harness: string): Record<string, boolean> {
  const file = resultsFile(folder, harness);
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, boolean>)
    : {};
}
