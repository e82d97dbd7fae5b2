import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { testEncryptionKey } from './test-key.ts';

/** Starts a program with only these environment variables. It's killed after the test. */
export function startProgram(
  file: string,
  environment: Record<string, string>,
  ...words: string[]
): ChildProcess {
  const { PATH = '' } = process.env;
  const always = { ENCRYPTION_KEY: testEncryptionKey, RUNS_SERVICE_ALLOW_ROOT: 'true' };
  const env = { PATH, ...always, ...environment };
  const child = spawn(process.execPath, [file, ...words], { env, cwd: '/' });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return child;
}

/** Waits for a program to exit. @returns its exit code and output */
export async function untilExit(
  child: ChildProcess,
): Promise<{ code: number | null; output: string }> {
  const streams = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : ''));
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, output: (await Promise.all(streams)).join('') };
}
