import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../packages/slack-stand-in/test/support/free-port.ts';
import { startProgram, untilExit } from './support/program.ts';
import { temporaryFolder } from './support/runs-service.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
// Inside the repository, so that the installed packages are found. Ignored by git.
const folder = `${root}.tmp/demo-${process.pid}/`;

/** The demo finds its agent and the manifest next to the built files, so it's built like users build it. */
beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  const compiler = `${root}node_modules/typescript/bin/tsc`;
  const settings = ['-p', `${root}tsconfig.json`, '--outDir', `${folder}dist`, '--noCheck'];
  execFileSync(process.execPath, [compiler, ...settings, '--declaration', 'false']);
  copyFileSync(`${root}manifest.yml`, `${folder}manifest.yml`);
  copyFileSync(`${root}package.json`, `${folder}package.json`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('npm run demo', () => {
  it('prints one address, serves it, exits with 0 on Ctrl-C, and starts again on the same data', async () => {
    const environment = {
      PORT: String(await freePort()),
      RUNS_SERVICE_PORT: String(await freePort()),
      GIT_HOST_PORT: String(await freePort()),
      DATA_DIR: temporaryFolder(),
    };
    for (const round of ['first', 'second']) {
      const child = startProgram(`${folder}dist/demo.js`, environment);
      const ended = untilExit(child);
      const url = await new Promise<string>((resolve, reject) => {
        let printed = '';
        child.stdout?.on('data', (chunk: Buffer) => {
          printed += chunk.toString();
          const [found] = /http:\S+/.exec(printed) ?? [];
          if (found) resolve(found);
        });
        void ended.then(({ output }) => reject(new Error(`ended at once: ${output}`)));
      });
      expect((await fetch(url)).status, round).toBe(200);
      child.kill('SIGINT');
      const { code, output } = await ended;
      expect(code, output).toBe(0);
      expect(output.match(/http:\S+/g), round).toEqual([url]);
      expect(output, round).toContain('Stopped.');
    }
  });
});
