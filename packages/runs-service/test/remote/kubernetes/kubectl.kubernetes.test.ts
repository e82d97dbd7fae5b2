import { describe, expect, it } from 'vitest';
import { jobName } from '../../../src/remote/kubernetes/job.ts';
import { kubectl } from '../../support/kubernetes/kubectl.ts';
import { aDispatch, clusterWith, runnerOf, testSignal } from '../../support/kubernetes/runner.ts';

const name = jobName(aDispatch('run-1'));
const job = `job/${name}`;

/** Returns a script that prints this many megabytes and then waits. */
const printing = (megabytes: number) => `
  const line = 'x'.repeat(1023) + '\\n';
  for (let i = 0; i < ${megabytes * 1024}; i += 1) process.stdout.write(line);
  process.stdout.write('the end\\n');
  setInterval(() => {}, 1000);
  process.on('SIGTERM', () => process.exit(0));
`;

describe('kubectl', () => {
  it('sees the Job, its pod, its events and its whole log, and deletes it', async () => {
    const cluster = await clusterWith(printing(50));
    await runnerOf(cluster).dispatch(aDispatch('run-1'), testSignal());
    const lost = runnerOf(cluster).watch(aDispatch('run-1'), testSignal());
    const ask = (...args: string[]) => kubectl(cluster.adminConfig, ...args);
    const selector = ['--selector', 'app.kubernetes.io/managed-by=slash-agent'];

    expect(await ask('get', 'jobs', ...selector, '--output', 'name')).toBe(`job.batch/${name}\n`);
    expect(await ask('get', 'jobs')).toContain(name);
    await expect
      .poll(() => ask('get', 'pods', '--output', 'jsonpath={.items[*].status.phase}'))
      .toBe('Running');
    const described = await ask('describe', job);
    expect(described).toMatch(/slash-agent\/run=run-1/);
    expect(described).toMatch(/SuccessfulCreate .*Created pod/);
    expect(described).not.toContain(aDispatch('run-1').token);
    await expect.poll(async () => (await ask('logs', job)).slice(-8)).toBe('the end\n');
    expect((await ask('logs', job)).length).toBe(50 * 1024 * 1024 + 8);

    expect(await ask('delete', job)).toContain(`"${name}" deleted`);
    expect((await lost)?.end.status.message).toBe(
      'Someone deleted the Job of this run in the cluster. You can run it again.',
    );
    await expect.poll(() => ask('get', 'pods,secrets', '--output', 'name')).toBe('');
  });
});
