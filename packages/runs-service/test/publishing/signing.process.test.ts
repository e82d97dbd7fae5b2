import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/runs-service.ts';
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

it('commits with "signing_key_file" are signed, also those that update a branch, and never pushed unsigned', async () => {
  const { file, checking } = createKey();
  const readable = createKey().file;
  chmodSync(readable, 0o644);
  const unusable = { readable, locked: createKey('secret').file, missing: '/nope' };
  const variants = Object.entries(unusable).map(([id, signing_key_file]) => [
    id,
    { signing_key_file },
  ]);
  const { server, service } = await startPublishing('cat >> notes.txt', {
    publish: { author, signing_key_file: file },
    variants: Object.fromEntries(variants),
  });
  for (const environment_id of Object.keys(unusable)) {
    const run = await ended(service, { prompt: 'three\n', config: { environment_id } });
    expect(run.publication).toMatchObject({
      state: 'failed',
      message: expect.stringMatching(/^The commit can't be signed. Check/),
    });
  }
  expect(server.branches()).toEqual(['main']);

  const config = { environment_id: 'shell' };
  const { run_id: id, publication } = await ended(service, { prompt: 'three\n', config });
  const branch = publication?.branch ?? '';
  const verified = () => server.git(...checking, 'log', '-1', '--format=%G? %GS %an', branch);
  expect(verified()).toBe('G app@acme.test App');
  // Git fails if the signature isn't valid.
  server.git(...checking, 'verify-commit', branch);
  expect(server.git(...createKey().checking, 'log', '-1', '--format=%G?', branch)).toBe('U');

  server.commit('main', 'other.txt', 'x\n');
  const before = server.git('rev-parse', branch);
  expect((await act(service, id, 'update_branch')).status).toBe(200);
  await expect.poll(() => server.git('rev-parse', branch)).not.toBe(before);
  expect(verified()).toBe('G app@acme.test App');
});
