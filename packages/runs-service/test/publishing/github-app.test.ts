import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCodeHosts } from '../../src/publishing/hosts/create-code-host.ts';
import type { PublishPlan } from '../../src/publishing/publish-plan.ts';
import { startGithubServer } from '../support/code-hosts/github-server.ts';
import { temporaryFolder } from '../support/runs-service.ts';

const { signal } = new AbortController();
const hourMs = 3_600_000;

async function start({
  lifetimeMs = hourMs,
  installationId,
}: {
  lifetimeMs?: number;
  installationId?: number;
} = {}) {
  const github = await startGithubServer();
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const keyFile = join(temporaryFolder(), 'key.pem');
  // Use the format in which GitHub offers keys for download.
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs1', format: 'pem' }));
  const issued: unknown[] = [];
  github.useApp({ id: 12, installation: 34, publicKey, lifetimeMs, issued });
  const app = {
    id: 12,
    private_key_file: keyFile,
    ...(installationId !== undefined && { installation_id: installationId }),
  };
  const plan: PublishPlan = {
    config: { app },
    repository: { url: 'https://github.com/acme/app.git' },
    mode: 'ask',
    kind: 'github',
    project: 'acme/app',
    apiUrl: github.apiUrl,
  };
  return { github, issued, plan, keyFile, host: createCodeHosts()(plan) };
}

describe('a GitHub App', () => {
  it('gets a token for the one repository, and uses it until it ends', async () => {
    const { github, issued, host } = await start();
    expect(await host.find('agent/1', signal)).toBeUndefined();
    const wanted = { branch: 'agent/1', base: 'main', title: 'T', body: 'B', draft: false };
    expect(await host.open(wanted, signal)).toMatchObject({ number: 1 });
    expect(issued).toEqual([{ repositories: ['app'] }]);
    expect(github.seen.filter((what) => what.endsWith('/installation'))).toHaveLength(1);
  });

  it('needs no search for an installation that the operator named', async () => {
    const { github, host } = await start({ installationId: 34 });
    await host.find('agent/1', signal);
    expect(github.seen).toEqual([
      'POST /app/installations/34/access_tokens',
      'GET /repos/acme/app/pulls',
    ]);
  });

  it('gets a new token shortly before the end of the last one', async () => {
    const { issued, host } = await start({ lifetimeMs: 4 * 60_000 });
    await host.find('agent/1', signal);
    await host.find('agent/1', signal);
    expect(issued).toHaveLength(2);
  });

  it('gets a new token for git, and one after a revoked one', async () => {
    const { github, issued, host } = await start();
    expect(await host.login(signal)).toEqual({ user: 'x-access-token', token: 'ghs_1' });
    expect(await host.login(signal)).toMatchObject({ token: 'ghs_2' });
    github.tokens[0] = 'revoked';
    await expect(host.find('agent/1', signal)).rejects.toThrow(
      'rejected the token of the installation of the GitHub App 12',
    );
    expect(await host.find('agent/1', signal)).toBeUndefined();
    expect(issued).toHaveLength(3);
  });

  it('says which key is wrong, without the key', async () => {
    const { host, keyFile, plan } = await start();
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    writeFileSync(keyFile, other.export({ type: 'pkcs1', format: 'pem' }));
    await expect(host.find('agent/1', signal)).rejects.toThrow(
      'Check that "app.id" (12) is the ID of the GitHub App and that "private_key_file" is one of its keys.',
    );
    writeFileSync(keyFile, 'not a key: hunter2');
    const problem = await host.find('agent/1', signal).catch((error: unknown) => error);
    expect(problem).toMatchObject({
      isTemporary: false,
      message: expect.stringContaining('"private_key_file"'),
    });
    expect(String(problem)).not.toContain('hunter2');
    const gone = { ...plan, config: { app: { id: 12, private_key_file: '/nope' } } };
    await expect(createCodeHosts()(gone).find('x', signal)).rejects.toThrow(
      'Can\'t read the file of "private_key_file"',
    );
  });

  it('that is not installed says so', async () => {
    const { github, host } = await start();
    github.rejections.set('/installation', { status: 404, body: { message: 'Not Found' } });
    await expect(host.find('agent/1', signal)).rejects.toThrow(
      "The GitHub App 12 isn't installed for acme/app.",
    );
  });

  it.each([
    ['POST /app/installations', 404, 'The GitHub App 12 has no installation 34.'],
    ['POST /app/installations', 401, '"app.id" (12)'],
    ['POST /app/installations', 403, 'no token for installation 34 of the GitHub App 12: No.'],
    [
      'POST /app/installations',
      422,
      "Installation 34 of the GitHub App 12 can't use acme/app: No.",
    ],
    ['GET /repos/acme/app/pulls', 403, "doesn't let the installation of the GitHub App 12"],
    ['GET /repos/acme/app/pulls', 404, "or the installation of the GitHub App 12 can't see it."],
  ])('whose %s is rejected with %i: %s', async (call, status, says) => {
    const { github, host } = await start({ installationId: 34 });
    const path = call.replace(/^\w+ /, '');
    github.rejections.set(path, { status, body: { message: 'No.' } });
    await expect(host.find('agent/1', signal)).rejects.toThrow(says);
  });
});
