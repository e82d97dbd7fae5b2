import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createMirrors } from '../../../src/execution/git/mirrors.ts';
import { startGitServer } from '../../support/code-hosts/git-server.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

it('a key in the URL of a repository is neither on the disk nor in the list of processes', async () => {
  const server = await startGitServer({ isPrivate: true, login: 'me:hunter2' });
  const url = server.url.replace('//', '//me:hunter2@');
  const folder = temporaryFolder();
  const bin = join(folder, 'bin');
  const calls = join(folder, 'calls');
  mkdirSync(bin);
  const { PATH = '' } = process.env;
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$@" >> ${calls}\nexec ${git} "$@"\n`);
  chmodSync(join(bin, 'git'), 0o755);
  const mirrors = createMirrors({ mirrorsDir: join(folder, 'mirrors'), path: `${bin}:${PATH}` });
  const { signal } = new AbortController();
  const mirror = await mirrors.refresh(url, signal, 'run');
  const commit = server.commit('main', 'new.txt', 'new');
  await mirrors.refresh(url, signal, 'run');
  const read = execFileSync(git, ['-C', mirror, 'rev-parse', 'main'], { encoding: 'utf8' });
  expect(read.trim()).toBe(commit);
  expect(readFileSync(calls, 'utf8')).toContain('fetch');
  expect(readFileSync(calls, 'utf8')).not.toContain('hunter2');
  expect(readFileSync(join(mirror, 'config'), 'utf8')).not.toContain('hunter2');
});

it('a key in the URL of a repository is not sent where its server redirects to', async () => {
  const seen: unknown[] = [];
  const elsewhere = await listenTo((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(404).end();
  });
  const server = await listenTo((request, response) => {
    response.writeHead(301, { location: `${elsewhere}${request.url}` }).end();
  });
  const path = process.env['PATH'] ?? '';
  const mirrors = createMirrors({ mirrorsDir: join(temporaryFolder(), 'mirrors'), path });
  const url = `${server.replace('//', '//me:hunter2@')}/acme/app.git`;
  const { signal } = new AbortController();
  await expect(mirrors.refresh(url, signal, 'run')).rejects.toThrow(
    /error: 301\nThe repository moved\. Change its URL/,
  );
  expect(seen).toEqual([]);
  // Without a key, git may follow the redirect, because there is no secret to protect.
  await expect(mirrors.refresh(`${server}/acme/app.git`, signal, 'run')).rejects.toThrow();
  expect(seen).toEqual([undefined]);
});

async function listenTo(answer: RequestListener): Promise<string> {
  const server = createHttpServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('a run that waits for the fetch of another can be canceled, whatever the server does', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined));
  silent.listen(0, '127.0.0.1');
  const connected = once(silent, 'connection');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const path = process.env['PATH'] ?? '';
  const mirrors = createMirrors({ mirrorsDir: join(temporaryFolder(), 'mirrors'), path });
  const [first, second] = [new AbortController(), new AbortController()];
  const refresh = ({ signal }: AbortController) =>
    mirrors.refresh(`http://127.0.0.1:${port}/app.git`, signal, 'run').catch(String);
  const fetching = refresh(first);
  onTestFinished(async () => {
    first.abort();
    await fetching;
    silent.close();
  });
  const [socket] = await connected;
  onTestFinished(() => socket.destroy());
  const waiting = refresh(second);
  second.abort('canceled');
  expect(await waiting).toContain('Stopped while another run fetches');
});
