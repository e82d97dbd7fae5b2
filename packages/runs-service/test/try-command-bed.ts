import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { bundleSlashAgent } from '../../base/test/support/bundle.ts';
import { startProgram, untilExit } from '../../base/test/support/program.ts';
import { exampleUrl } from './support/environment-examples.ts';
import { createRepository, temporaryFolder } from './support/runs-service.ts';

/** Writes an environments file for a small repository, in a folder with nothing else. */
export function writeEnvironments(file: string) {
  const repository = createRepository({ 'a.js': '// TODO one\n', 'b.js': '// TODO two\nlet b;\n' });
  const [folder, temporary] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(folder, 'environments.yml'), file.replaceAll(exampleUrl, repository));
  return { repository, folder, temporary };
}

/** Returns an environments file with one shell script, which has no sandbox. */
export const script = (line: string, more = '') =>
  `environments: [{ id: one, isolation: none, repositories: [{ url: ${exampleUrl} }], command: [sh, -c, '${line}']${more} }]`;

/** Starts `slash-agent try environments.yml 'Count them'` as a process. */
export function startTrying(file: string) {
  const { folder, temporary } = writeEnvironments(file);
  const environment = { INIT_CWD: folder, TMPDIR: temporary };
  const words = ['try', 'environments.yml', 'Count them'];
  const child = startProgram(bundleSlashAgent(), environment, ...words);
  const printed = child.stdout ? text(child.stdout) : '';
  const end = async () => {
    const { code, output } = await untilExit(child);
    return { code, output, answer: await printed, left: readdirSync(temporary) };
  };
  return { child, temporary, end };
}
