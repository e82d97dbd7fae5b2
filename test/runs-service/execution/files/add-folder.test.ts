import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { addFolder } from '../../../../src/runs-service/execution/files/add-folder.ts';
import { writeFollowup } from '../../../../src/runs-service/execution/run-input.ts';
import { temporaryFolder } from '../../../support/runs-service.ts';

/** An agent that puts a link into each folder it sees, in place of the file that may come. */
const attacker = `
const { readdirSync, symlinkSync } = require('node:fs');
const { parentPort, workerData: { workDir, target } } = require('node:worker_threads');
parentPort.postMessage('ready');
for (const seen = new Set(); ; ) for (const name of readdirSync(workDir)) {
  if (seen.has(name)) continue;
  seen.add(name);
  try { symlinkSync(target, workDir + '/' + name + '/prompt.txt'); } catch {}
}`;

it('an agent that runs while a follow-up is written gets no link in its way', async () => {
  const workDir = join(temporaryFolder(), 'run');
  mkdirSync(workDir);
  const target = join(temporaryFolder(), 'authorized_keys');
  writeFileSync(target, 'mine');
  const agent = new Worker(attacker, { eval: true, workerData: { workDir, target } });
  onTestFinished(async () => void (await agent.terminate()));
  await once(agent, 'message');
  for (let count = 0; count < 100; count += 1) {
    const variables = (await writeFollowup('a key of the attacker', workDir))({});
    expect(readFileSync(target, 'utf8')).toBe('mine');
    expect(readFileSync(variables['AGENT_PROMPT_FILE'] ?? '', 'utf8')).toBe(
      'a key of the attacker',
    );
  }
});

it('leaves nothing behind if its files cannot be written', async () => {
  const folder = temporaryFolder();
  const workDir = join(folder, 'run');
  mkdirSync(workDir);
  const adding = addFolder(workDir, 'followup', async (hidden) => {
    writeFileSync(join(hidden, 'prompt.txt'), 'x');
    throw new Error('disk full');
  });
  await expect(adding).rejects.toThrow('disk full');
  expect(readdirSync(folder)).toEqual(['run']);
  expect(readdirSync(workDir)).toEqual([]);
});
