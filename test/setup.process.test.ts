import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from 'base/logger';
import { createLocalWorkspace } from 'slack-stand-in';
import { readManifest } from 'slack-stand-in/manifest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundleSlashAgent } from '../packages/base/test/support/bundle.ts';
import { untilExit } from '../packages/base/test/support/program.ts';
import {
  createRepository,
  temporaryFolder,
} from '../packages/runs-service/test/support/runs-service.ts';
import { collect } from '../packages/runs-service/test/support/serve-runs.ts';

async function startBed() {
  const manifest = readManifest(fileURLToPath(new URL('../manifest.yml', import.meta.url)));
  const workspace = createLocalWorkspace({ manifest, logger: createLogger('silent') });
  await workspace.start();
  onTestFinished(() => workspace.stop());
  const folder = temporaryFolder();
  const command = `${process.execPath} ${bundleSlashAgent()} setup`;
  const env = { PATH: process.env['PATH'], SLACK_API_URL: workspace.apiUrl };
  const start = (file: string, args: string[]) => spawn(file, args, { cwd: folder, env });
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  return { workspace, folder, command, start, read };
}

describe('slash-agent setup', () => {
  it('reads its answers from a pipe, ends in the doctor, and saves nothing if they end too early', async () => {
    const { workspace, folder, command, start, read } = await startBed();
    const repository = createRepository({ 'notes.txt': 'one' });
    const answers = ['1', repository, '5', 'cat', workspace.botToken, workspace.appToken];
    const runWith = (lines: string[]) => {
      const child = start('sh', ['-c', command]);
      child.stdin.end(lines.map((line) => `${line}\n`).join(''));
      return untilExit(child);
    };
    const early = await runWith(answers.slice(0, -1));
    expect(early.code, early.output).toBe(1);
    expect(early.output).toContain('The input ended, so nothing was saved.\n');
    await expect(read('.env')).rejects.toThrow('ENOENT');

    const { code, output } = await runWith(answers);
    expect(output).toContain('socket_mode_enabled: true');
    // Problems are expected as root or without bubblewrap, because agents don't start then.
    expect(output).toMatch(/No problems found\.\nStart the bot|\d problems found|1 problem found/);
    expect(code).toBe(output.includes('No problems found') ? 0 : 1);
    expect(await read('.env')).toContain(`SLACK_BOT_TOKEN=${workspace.botToken}\n`);
    expect(await read('environments.yml')).toContain('- cat\n');
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
  });

  it("doesn't show tokens while they're typed at a terminal, but everything else", async () => {
    const { workspace, command, start, read } = await startBed();
    const repository = createRepository({ 'notes.txt': 'one' });
    // Run it in a separate terminal, because prompts hide secrets only in one.
    const child = start('script', ['--quiet', '--return', '--command', command, '/dev/null']);
    const ended = untilExit(child);
    const shown = collect(child);
    let readTo = 0;
    const types = async (question: string, answer: string) => {
      await expect.poll(() => shown().slice(readTo)).toContain(question);
      readTo = shown().length;
      child.stdin.write(`${answer}\r`);
    };
    await types('Number [1]: ', '1');
    await types('Repository', repository);
    await types('Number [1]: ', '5');
    await types('Command', 'tr a b');
    await types('xoxb-…): ', workspace.botToken);
    await types('xapp-…): ', workspace.appToken);
    const { output } = await ended;
    expect(output).toContain('tr a b');
    for (const token of [workspace.botToken, workspace.appToken]) {
      expect(output).not.toContain(token);
      expect(await read('.env')).toContain(token);
    }
  });
});
