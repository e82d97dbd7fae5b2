import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ExplainedError } from './lib/explained-error.ts';
import { manifestText } from './manifest/manifest-command.ts';

const source: unknown = parse(readFileSync(new URL('../manifest.yml', import.meta.url), 'utf8'));

try {
  process.stdout.write(manifestText(source, process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof ExplainedError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
