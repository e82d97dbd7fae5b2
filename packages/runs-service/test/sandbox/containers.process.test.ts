import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { bundle } from '../../../base/test/support/bundle.ts';
import { clientOf, shellEnvironment, temporaryFolder } from '../support/runs-service.ts';
import { createContainerProgram, deaf, sleeping } from './container-program.ts';

it('the container of a run is removed at the next start if the service was killed', async () => {
  const { environment } = createContainerProgram();
  const dataDir = temporaryFolder();
  const environments = [shellEnvironment(deaf, environment)];
  writeFileSync(join(dataDir, 'environments.json'), JSON.stringify(environments));
  const program = bundle('packages/runs-service/test/support/service/service-process.ts');
  const start = async () => {
    const child = spawn(process.execPath, [program, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return { child, ...clientOf(url) };
  };
  const first = await start();
  const id = await first.begin({ prompt: 'x' });
  await expect.poll(sleeping).toHaveLength(1);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  expect(sleeping()).toHaveLength(1);
  const second = await start();
  expect((await second.get(id)).state).toBe('FAILED');
  expect(sleeping()).toEqual([]);
});
