import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundle } from '../../../base/test/support/bundle.ts';
import { clientOf, temporaryFolder } from '../support/runs-service.ts';
import { spendingEnvironment, twoDollars } from './spending-run.ts';

let program = '';
beforeAll(() => {
  program = bundle('packages/runs-service/test/support/service/service-process.ts');
});

async function startProcess(dataDir: string) {
  const child: ChildProcess = spawn(process.execPath, [program, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  const url = await new Promise<string>((resolve) => lines.once('line', resolve));
  const client = clientOf(url);
  const questionOf = async (id: string) => {
    const run = await client.until(id, 'BLOCKED', 'FAILED', 'SUCCEEDED');
    return run.agent_progress?.question;
  };
  const answer = async (id: string, option: string) => {
    const sent = await client.request(`/agent/runs/${id}/answers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question_id: (await questionOf(id))?.id, option_id: option }),
    });
    expect(sent.status).toBe(200);
  };
  return { kill, questionOf, answer, ...client };
}

/** Starts a service with a run that makes three calls, and restarts after a crash. Its cap allows two calls. */
async function holdRun() {
  const options = { caps: [twoDollars], restart: true };
  const { environment, answered } = await spendingEnvironment(3, options);
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, 'environments.json'), JSON.stringify([environment]));
  const first = await startProcess(dataDir);
  const id = await first.begin({ prompt: 'x' });
  const question = await first.questionOf(id);
  expect(question?.text).toContain('This run has spent $2.00 of $2.00.');
  return { first, id, question, answered, startAgain: () => startProcess(dataDir) };
}

describe('after kill -9 of the service', () => {
  it('a held run asks a new question, and continues after the answer', async () => {
    const { first, id, question, answered, startAgain } = await holdRun();
    await first.kill();
    const second = await startAgain();
    expect((await second.questionOf(id))?.id).not.toBe(question?.id);
    expect(answered()).toBe(2);
    await second.answer(id, 'allow');
    await expect.poll(answered).toBe(4);
    expect((await second.questionOf(id))?.text).toContain('This run has spent $4.00 of $4.00.');
    await second.answer(id, 'allow');
    expect((await second.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    expect(answered()).toBe(5);
  });

  it('an allowed amount is allowed once', async () => {
    const { first, id, question, startAgain } = await holdRun();
    await first.answer(id, 'allow');
    await first.kill();
    const second = await startAgain();
    const next = await second.questionOf(id);
    expect(next?.id).not.toBe(question?.id);
    // A call that was in flight when the service was killed counts as spent.
    expect(next?.text).toMatch(/^This run has spent \$[45]\.00 of \$4\.00\./);
  });

  it('a stopped run ends with the reason, and makes no more calls', async () => {
    const { first, id, answered, startAgain } = await holdRun();
    await first.answer(id, 'stop');
    await first.kill();
    const second = await startAgain();
    const run = await second.until(id, 'SUCCEEDED', 'FAILED');
    expect(run.status_message).toMatchObject({
      message: 'This run has spent $2.00 of $2.00. It was stopped there.',
      error_code: 'budget_exceeded',
    });
    expect(answered()).toBe(2);
  });
});
