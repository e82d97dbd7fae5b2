import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../packages/base/test/support/free-port.ts';
import { untilExit } from '../packages/base/test/support/program.ts';
import { temporaryFolder } from '../packages/runs-service/test/support/runs-service.ts';
import { createCheckout, startLine, typeLine } from './support/checkout.ts';

/** All cases share one copy of the repository. The first command builds it. */
describe('a new checkout', () => {
  const folder = createCheckout();
  const built = join(folder, 'dist/bin/slash-agent.js');

  it('builds with its first command, which says so on standard error only', async () => {
    expect(existsSync(built)).toBe(false);
    const file = join(temporaryFolder(), 'manifest.yml');
    const { code, stderr } = await typeLine(folder, `npx slash-agent manifest > ${file}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Building slash-agent once …\n' });
    expect(readFileSync(file, 'utf8')).toMatch(/^display_information:|^_metadata:|^features:/);
  });

  it('builds nothing later, because a bot may run from these files, and names newer sources', async () => {
    const before = statSync(built).mtimeMs;
    const same = await typeLine(folder, 'npx slash-agent manifest');
    expect(same.stderr).toBe('');
    expect(same.stdout).toContain('socket_mode_enabled: true');
    const future = Date.now() / 1_000 + 60;
    utimesSync(join(folder, 'src/bot/bot.ts'), future, future);
    const { stdout, stderr } = await typeLine(folder, 'npx slash-agent manifest');
    expect(stdout).toBe(same.stdout);
    expect(stderr).toBe(
      'The sources are newer than the build. To use them, run npm run build and start again.\n',
    );
    expect(statSync(built).mtimeMs).toBe(before);
  });

  it('has a demo, which prints its addresses once, serves them, ends with 0 on Ctrl-C, and starts again on the same data', async () => {
    const environment = {
      PORT: String(await freePort()),
      RUNS_SERVICE_PORT: String(await freePort()),
      GIT_HOST_PORT: String(await freePort()),
      WEBHOOKS_PORT: String(await freePort()),
      DATA_DIR: temporaryFolder(),
    };
    for (const round of ['first', 'second']) {
      const child = startLine(folder, 'npm run demo', environment);
      onTestFinished(() => void child.kill('SIGKILL'));
      const ended = untilExit(child);
      const urls = await new Promise<string[]>((resolve, reject) => {
        let printed = '';
        child.stdout.on('data', (chunk: Buffer) => {
          printed += chunk.toString();
          const found = printed.match(/http:[^\s,]+/g) ?? [];
          if (printed.includes('Press Ctrl-C')) resolve(found);
        });
        void ended.then(({ output }) => reject(new Error(`ended at once: ${output}`)));
      });
      const statuses = await Promise.all(urls.map(async (url) => (await fetch(url)).status));
      // The list of runs requires a key, so it returns 401. The webhook accepts only POST, so it returns 405.
      expect(statuses, round).toEqual([200, 401, 405]);
      child.kill('SIGINT');
      const { code, output } = await ended;
      expect(code, output).toBe(0);
      expect(output.match(/http:[^\s,]+/g), round).toEqual(urls);
      expect(output, round).toContain('Stopped.');
    }
  });

  it('prints the help of a command, and lists all commands for an unknown one', async () => {
    const help = await typeLine(folder, 'npx slash-agent backup --help');
    expect(help.stdout).toMatch(/^Usage: slash-agent backup <file>\n/);
    const wrong = await typeLine(folder, 'npx slash-agent bakcup');
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toMatch(/There is no command "bakcup"\.\n[\s\S]*\n {2}backup /);
  });

  it('makes a package with the same program, without the demo', async () => {
    const home = temporaryFolder();
    const pack = 'npm pack --ignore-scripts --silent --pack-destination';
    const packed = await typeLine(folder, `${pack} ${home}`);
    expect(packed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^slash-agent-.*tgz\n$/),
    });
    expect(await typeLine(home, 'tar -xzf *.tgz')).toMatchObject({ code: 0 });
    const unpacked = join(home, 'package');
    mkdirSync(join(unpacked, 'node_modules'));
    for (const name of readdirSync(join(folder, 'node_modules')))
      if (name !== 'slack-stand-in')
        symlinkSync(join(folder, 'node_modules', name), join(unpacked, 'node_modules', name));
    symlinkSync(join(unpacked, 'bin/slash-agent.js'), join(home, 'slash-agent'));
    const manifest = await typeLine(home, './slash-agent manifest');
    expect(manifest).toMatchObject({ code: 0, stderr: '' });
    expect(manifest.stdout).toContain('socket_mode_enabled: true');
    expect(await typeLine(home, './slash-agent demo')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no command "demo".'),
    });
  });
});
