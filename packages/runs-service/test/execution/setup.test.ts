import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ServiceEnvironment } from '../../src/environments/environments.ts';
import {
  type StartedService,
  shellEnvironment,
  startRunsService,
  temporaryFolder,
} from '../support/runs-service.ts';

/** Creates an environment with a setup command that counts its executions. */
function environmentWith(more: Partial<ServiceEnvironment> = {}, setUp = 'true') {
  const marks = join(temporaryFolder(), 'marks');
  writeFileSync(marks, '');
  const script = `echo done >> ${marks}; echo made > made.txt; echo kept > "$HOME/kept"; ${setUp}`;
  const environment = shellEnvironment('cat made.txt "$HOME/kept"; echo changed >> made.txt', {
    setup: [['sh', '-c', script]],
    ...more,
  });
  const times = () => readFileSync(marks, 'utf8').split('\n').length - 1;
  return { environment, times };
}

async function outputOf(service: StartedService, body: object = { prompt: 'x' }) {
  const id = await service.begin(body);
  const run = await service.until(id, 'SUCCEEDED', 'FAILED');
  const output = readFileSync(join(service.dataDir, 'transcripts', id, 'output.log'), 'utf8');
  return { run, output };
}

const commit = (folder: string, file: string) => {
  writeFileSync(join(folder, file), 'new');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
      cwd: folder,
    });
  git('add', '.');
  git('commit', '-qm', 'x');
};

describe('a setup', () => {
  it('runs once for the same commands and commit, and every run gets its result', async () => {
    const { environment, times } = environmentWith();
    const service = await startRunsService({ environments: [environment] });
    for (const round of [1, 2, 3])
      expect((await outputOf(service)).output, `${round}`).toBe('made\nkept\n');
    expect(times()).toBe(1);
    const again = await startRunsService({
      environments: [environment],
      dataDir: temporaryFolder(),
    });
    await outputOf(again);
    expect(times()).toBe(2);
  });

  it('leaves the next person nothing that an earlier run or its agent wrote, though that can continue', async () => {
    const plant = `ls -A "$HOME"; ls -A | grep -v '^[.]git$'; for file in .profile .gitconfig; do echo evil > "$HOME/$file"; done
      mkdir -p "$HOME/.agent"; touch "$HOME/.agent/session"; echo evil > planted; rm -rf "$HOME/words"`;
    const { environment, times } = environmentWith(
      { command: ['sh', '-c', plant], keep: ['.agent'] },
      'env | grep -ciE "pelican|heron" > "$HOME/words"; true',
    );
    const service = await startRunsService({ environments: [environment] });
    const one = await outputOf(service, { prompt: 'pelican' });
    const { conversation_id } = one.run;
    expect(one.output).toContain('words');
    const two = await outputOf(service, { prompt: 'heron', conversation_id });
    expect(two.output).toContain('planted');
    const three = await outputOf(service, { prompt: 'stork' });
    expect(three.output).toBe(one.output);
    expect(three.output).not.toMatch(/planted|profile|gitconfig|agent/);
    // The setup runs for the first person and for their changes, but not for the third run.
    expect(times()).toBe(2);
  });

  it('runs again for another commit, command, variable or secret', async () => {
    const { environment, times } = environmentWith();
    const [repository] = environment.repositories;
    const secret = join(temporaryFolder(), 'token');
    writeFileSync(secret, 'first-token');
    const changing = [{ ...environment, variables: { A: '1' }, secret_files: { T: secret } }];
    const service = await startRunsService({ environments: changing });
    const settled = async (expected: number) => {
      await outputOf(service);
      expect(times()).toBe(expected);
    };
    await settled(1);
    commit(repository?.url ?? '', 'new.txt');
    await settled(2);
    changing[0] = { ...changing[0]!, variables: { A: '2' } };
    await settled(3);
    writeFileSync(secret, 'second-token');
    await settled(4);
    changing[0] = { ...changing[0]!, setup: [...(environment.setup ?? []), ['true']] };
    await settled(5);
  });

  it('runs once for two runs that start at the same time', async () => {
    const { environment, times } = environmentWith();
    const service = await startRunsService({ environments: [environment] });
    const all = await Promise.all([outputOf(service), outputOf(service)]);
    expect(all.map(({ output }) => output)).toEqual(Array(2).fill('made\nkept\n'));
    expect(times()).toBe(1);
  });

  it('of another run does not delay the cancellation of a waiting run', async () => {
    const go = join(temporaryFolder(), 'go');
    const { environment } = environmentWith({}, `until [ -e ${go} ]; do sleep 0.05; done`);
    const service = await startRunsService({ environments: [environment] });
    const [first, second] = [
      await service.begin({ prompt: 'x' }),
      await service.begin({ prompt: 'y' }),
    ];
    for (const id of [first, second]) await service.until(id, 'INPROGRESS');
    await service.request(`/agent/runs/${second}/cancel`, { method: 'POST' });
    expect((await service.until(second, 'CANCELLED', 'FAILED', 'SUCCEEDED')).state).toBe(
      'CANCELLED',
    );
    expect((await service.get(first)).state).toBe('INPROGRESS');
    writeFileSync(go, '');
    expect((await service.until(first, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
  });

  it("runs every time if its files contain the path of the run's folder", async () => {
    const { environment, times } = environmentWith({}, 'pwd > made.txt');
    const service = await startRunsService({ environments: [environment] });
    const first = await outputOf(service);
    const second = await outputOf(service);
    expect(second.output).toContain(second.run.run_id);
    expect(first.output).not.toBe(second.output);
    expect(times()).toBe(2);
  });

  it('is not saved with cache_setup: false or changes of an earlier run', async () => {
    const never = environmentWith({ id: 'never', cache_setup: false });
    const always = environmentWith({ id: 'always' });
    const service = await startRunsService({
      environments: [never.environment, always.environment],
    });
    const inNever = { prompt: 'x', config: { environment_id: 'never' } };
    await outputOf(service, inNever);
    await outputOf(service, inNever);
    expect(never.times()).toBe(2);
    const inAlways = { prompt: 'x', config: { environment_id: 'always' } };
    const { run } = await outputOf(service, inAlways);
    await outputOf(service, { ...inAlways, conversation_id: run.conversation_id });
    expect(always.times()).toBe(2);
  });

  it('that fails is not saved, and shows no secret', async () => {
    const secret = join(temporaryFolder(), 'token');
    writeFileSync(secret, 'hunter2-hunter2');
    const { environment, times } = environmentWith(
      { secret_files: { T: secret } },
      'echo "had $T"; echo "bad $T" >&2; exit 1',
    );
    const service = await startRunsService({ environments: [environment] });
    for (const _ of [1, 2]) {
      const { run, output } = await outputOf(service);
      expect(run.state).toBe('FAILED');
      expect(output).toBe('had [secret]\nbad [secret]\n');
      expect(run.status_message?.message).toMatch(
        /bad \[secret\]\n\(The setup command "sh" exited with code 1\.\)$/,
      );
    }
    expect(times()).toBe(2);
    expect(existsSync(join(service.dataDir, 'setups'))).toBe(false);
  });
});
