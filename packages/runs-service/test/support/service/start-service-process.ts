import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { bundle } from '../../../../base/test/support/bundle.ts';

/** Starts `service-process.ts`. It's killed after the test. */
export async function startServiceProcess(dataDir: string, serviceUrl: string) {
  const program = bundle('packages/runs-service/test/support/service/service-process.ts');
  const child: ChildProcess = spawn(process.execPath, [program, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SERVICE_URL: serviceUrl },
  });
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  if (!child.stdout) throw new Error('The service has no output.');
  const [apiUrl] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { apiUrl, kill };
}
