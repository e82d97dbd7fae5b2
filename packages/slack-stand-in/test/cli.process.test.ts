import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundle } from '../../base/test/support/bundle.ts';
import { freePort } from '../../base/test/support/free-port.ts';

const cli = bundle('packages/slack-stand-in/src/cli.ts');

async function start(...args: string[]) {
  const child = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    if (printed.includes('Ctrl-C')) break;
  }
  const settings = Object.fromEntries(
    [...printed.matchAll(/^(SLACK_\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  return { child, settings };
}

describe('slack-stand-in', () => {
  it('starts a workspace for a manifest, prints how to reach it, and stops on SIGTERM', async () => {
    const port = await freePort();
    const { child, settings } = await start('--manifest', 'manifest.yml', '--port', String(port));
    const answer = await fetch(`${settings['SLACK_API_URL']}auth.test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${settings['SLACK_BOT_TOKEN']}` },
    });
    expect(await answer.json()).toMatchObject({ ok: true });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it.each([
    [['--port', '3999'], '--manifest is missing'],
    [['--manifest', 'manifest.yml', '--port', 'no'], '--port no is not a port'],
    [['--manifest', 'package.json'], 'is not a valid app manifest'],
    [['--color'], "Unknown option '--color'"],
  ])('explains the mistake in %j, and prints the usage', async (args, message) => {
    const failed = promisify(execFile)(process.execPath, [cli, ...args]);
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`${message}[^]*--manifest FILE`)),
    });
  });
});
