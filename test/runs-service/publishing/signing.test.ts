import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/runs-service.ts';
import { act, ended, startPublishing } from './publishing.ts';

function createKey(passphrase = '') {
  const folder = temporaryFolder();
  const file = join(folder, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-f', file]);
  const signers = join(folder, 'signers');
  writeFileSync(signers, `app@acme.test ${readFileSync(`${file}.pub`, 'utf8')}`);
  /** Settings with which git checks a signature, like a server does. */
  const checking = ['-c', 'gpg.format=ssh', '-c', `gpg.ssh.allowedSignersFile=${signers}`];
  return { file, checking };
}

const author = { name: 'App', email: 'app@acme.test' };

describe('commits with "signing_key_file"', () => {
  it('are signed, also those that update a branch', async () => {
    const { file, checking } = createKey();
    const publish = { author, signing_key_file: file };
    const { server, service } = await startPublishing('cat >> notes.txt', { publish });
    const { run_id: id, publication } = await ended(service, { prompt: 'three\n' });
    const branch = publication?.branch ?? '';
    const verified = () => server.git(...checking, 'log', '-1', '--format=%G? %GS %an', branch);
    expect(verified()).toBe('G app@acme.test App');
    // It exits with an error if the signature isn't good.
    server.git(...checking, 'verify-commit', branch);
    expect(server.git(...createKey().checking, 'log', '-1', '--format=%G?', branch)).toBe('U');

    server.commit('main', 'other.txt', 'x\n');
    const before = server.git('rev-parse', branch);
    expect((await act(service, id, 'update_branch')).status).toBe(200);
    await expect.poll(() => server.git('rev-parse', branch)).not.toBe(before);
    expect(verified()).toBe('G app@acme.test App');
  });

  it.each<[string, () => string]>([
    [
      'that others can read',
      () => {
        const { file } = createKey();
        chmodSync(file, 0o644);
        return file;
      },
    ],
    ['with a passphrase', () => createKey('secret').file],
    ['that is missing', () => '/nope'],
  ])('are not pushed unsigned with a key %s', async (_, createFile) => {
    const publish = { author, signing_key_file: createFile() };
    const { server, service } = await startPublishing('cat >> notes.txt', { publish });
    const run = await ended(service, { prompt: 'three\n' });
    expect(run.publication).toMatchObject({
      state: 'failed',
      message: expect.stringMatching(/^The commit can't be signed. Check/),
    });
    expect(server.branches()).toEqual(['main']);
  });
});
