import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from 'base/logger';
import { createLocalWorkspace } from 'slack-stand-in';
import { readManifest } from 'slack-stand-in/manifest';
import { expect, it, onTestFinished } from 'vitest';
import { bundleSlashAgent } from '../packages/base/test/support/bundle.ts';
import { untilExit } from '../packages/base/test/support/program.ts';
import { temporaryFolder } from '../packages/runs-service/test/support/runs-service.ts';

it('slash-agent check-slack does without a person what it can, and writes a report', async () => {
  const manifest = readManifest(fileURLToPath(new URL('../manifest.yml', import.meta.url)));
  const workspace = createLocalWorkspace({ manifest, logger: createLogger('silent') });
  await workspace.start();
  onTestFinished(() => workspace.stop());
  const folder = temporaryFolder();
  const { botToken, appToken, apiUrl } = workspace;
  const env = { SLACK_API_URL: apiUrl, SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken };
  const start = (...args: string[]) => {
    const words = [bundleSlashAgent(), 'check-slack', ...args];
    return spawn(process.execPath, words, { cwd: folder, env });
  };
  const runs = (...args: string[]) => {
    const child = start(...args);
    child.stdin.end();
    return untilExit(child);
  };
  const without = await runs();
  expect(without.code, without.output).toBe(1);
  expect(without.output).toContain('The app is in several channels. Make a private channel');
  const inTerminal = await untilExit(start('--channel', 'C04NOWHERE1'));
  expect(inTerminal.output).toContain("Slack doesn't show the channel C04NOWHERE1");
  writeFileSync(join(folder, 'taken'), '');
  const nowhere = await runs('--report', 'taken');
  expect(nowhere.output).toContain('Choose another --report.');
  expect((await runs('--only', '13')).output).toContain('There is no check 13.');

  const args = ['--channel', 'C04SECRETS1', '--only', '2,3,6', '--report', 'out'];
  const { code, output } = await runs(...args);
  expect(code, output).toBe(0);
  expect(output).toContain('✓ The token is for one workspace');
  const [page, json] = ['check-slack.md', 'check-slack.json'].map((name) =>
    readFileSync(join(folder, 'out', name), 'utf8'),
  );
  expect(page).toContain('# check-slack\n\nslash-agent 0.1.0');
  expect(page).toContain('| 2 | Installing the app grants every scope of the manifest |');
  expect(JSON.parse(json ?? '')).toMatchObject({ isPartial: false, left: [] });
  for (const text of [page, json]) {
    expect(text).not.toContain(botToken);
    expect(text).not.toContain(workspace.team.id);
  }
});
