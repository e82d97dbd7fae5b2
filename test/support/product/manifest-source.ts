import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const file = new URL('../../../manifest.yml', import.meta.url);

/** The app's manifest before it's completed. It's parsed once for all tests of a worker. */
export const manifestSource: unknown = parse(readFileSync(file, 'utf8'));
