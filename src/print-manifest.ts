import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { runOperatorCommand } from './lib/process/run-operator-command.ts';
import { manifestText } from './manifest/manifest-command.ts';

const source: unknown = parse(readFileSync(new URL('../manifest.yml', import.meta.url), 'utf8'));

await runOperatorCommand(() => {
  process.stdout.write(manifestText(source, process.argv.slice(2)));
});
