import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** Starts a program with nothing in its environment but what is given; it is killed when the test has finished. */
export function startProgram(file: string, environment: Record<string, string>): ChildProcess {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [file], { env: { PATH, ...environment }, cwd: '/' });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return child;
}

/** Waits for the end of a program; answers its exit code and everything that it wrote. */
export async function untilExit(
  child: ChildProcess,
): Promise<{ code: number | null; output: string }> {
  const streams = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : ''));
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, output: (await Promise.all(streams)).join('') };
}
