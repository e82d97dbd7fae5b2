import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { manifestText, usage } from '../manifest/manifest-command.ts';

export { usage };

export async function run(args: readonly string[]): Promise<void> {
  const file = new URL('../../manifest.yml', import.meta.url);
  process.stdout.write(manifestText(parse(readFileSync(file, 'utf8')), args));
}
