import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { writeFollowup } from '../../../src/execution/run-input.ts';
import { runOnHost } from '../../../src/sandbox/run-on-host.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

/** Agent that creates a link in each folder it sees, to redirect the file of a follow-up. */
const attacker = `
const { readdirSync, symlinkSync } = require('node:fs');
const { parentPort, workerData: { workDir, target } } = require('node:worker_threads');
parentPort.postMessage('ready');
for (const seen = new Set(); ; ) for (const name of readdirSync(workDir)) {
  if (seen.has(name)) continue;
  seen.add(name);
  try { symlinkSync(target, workDir + '/' + name + '/prompt.txt'); } catch {}
}`;

const message = 'a key of the attacker';

it('a follow-up is written through no link that an agent puts in its way, even without a sandbox', async () => {
  const workDir = join(temporaryFolder(), 'run');
  mkdirSync(workDir);
  const target = join(temporaryFolder(), 'authorized_keys');
  writeFileSync(target, 'mine');
  const agent = new Worker(attacker, { eval: true, workerData: { workDir, target } });
  onTestFinished(async () => void (await agent.terminate()));
  await once(agent, 'message');
  const { signal } = new AbortController();
  const handing = { sandbox: { run: runOnHost }, workDir, path: process.env['PATH'] ?? '', signal };
  let rejected = 0;
  for (let count = 0; count < 50; count += 1) {
    const variables = await writeFollowup(message, handing).catch((error: Error) => {
      expect(error.message).toContain("Couldn't write a follow-up");
      rejected += 1;
    });
    expect(readFileSync(target, 'utf8')).toBe('mine');
    const file = variables?.({})['AGENT_PROMPT_FILE'];
    if (file) expect(readFileSync(file, 'utf8')).toBe(message);
  }
  // At least one rejection shows that the agent was fast enough to be a danger.
  expect(rejected).toBeGreaterThan(0);
});
