import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createBareRepository } from '../git-repository.ts';
import { temporaryFolder } from '../runs-service.ts';

export type GitServerOptions = {
  files?: Record<string, string>;
  /** Shell script that accepts or rejects pushes, like a branch protection. */
  preReceive?: string;
  /** Login as `user:token` for pushes. Everyone can read unless the repository is private. */
  login?: string;
  isPrivate?: boolean;
};

/** Callbacks before and after git handles a push. The answer waits for them. */
export type PushGate = { before?: () => Promise<void>; after?: () => Promise<void> };

/** Starts a real git server over HTTP, with one bare repository at `/acme/app.git`. */
export async function startGitServer({
  files = { 'notes.txt': 'one\ntwo\n' },
  preReceive,
  login = 'x-access-token:token-of-app',
  isPrivate = false,
}: GitServerOptions = {}) {
  const root = temporaryFolder();
  const bare = createBareRepository(join(root, 'acme', 'app.git'), files);
  const run = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' });
  if (preReceive !== undefined) {
    const hook = join(bare, 'hooks', 'pre-receive');
    mkdirSync(dirname(hook));
    writeFileSync(hook, `#!/bin/sh\n${preReceive}\n`);
    chmodSync(hook, 0o755);
  }
  const gate: PushGate = {};
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    void answer(request, response);
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url ?? '', 'http://git');
    const isPush = `${pathname}${search}`.includes('git-receive-pack');
    const expected = `Basic ${Buffer.from(login).toString('base64')}`;
    if ((isPush || isPrivate) && request.headers.authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const isUpload = isPush && request.method === 'POST';
    if (isUpload) await gate.before?.();
    const reply = await serve(root, request, pathname, search.slice(1));
    if (isUpload) await gate.after?.();
    response.writeHead(reply.status, reply.headers).end(reply.body);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const git = (...args: string[]) => run('-C', bare, ...args).trim();
  return {
    url: `http://127.0.0.1:${port}/acme/app.git`,
    bare,
    gate,
    seen,
    git,
    /** Lists the branches, including the default branch. */
    branches: () => git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n'),
    /** Merges a branch, like a code host merges a pull request. Returns false if they conflict. */
    merge(branch: string, base: string): boolean {
      const parents = [`refs/heads/${base}`, `refs/heads/${branch}`];
      try {
        const tree = git('merge-tree', '--write-tree', ...parents);
        const as = ['-c', 'user.name=Host', '-c', 'user.email=host@localhost'];
        const onto = parents.flatMap((parent) => ['-p', parent]);
        const merged = git(...as, 'commit-tree', ...onto, '-m', `Merge ${branch}`, tree);
        git('update-ref', `refs/heads/${base}`, merged);
        return true;
      } catch {
        return false;
      }
    },
    /** Commits to a branch of the server as someone else. */
    commit(branch: string, file: string, content: string): string {
      const clone = temporaryFolder();
      run('clone', '--quiet', '--template=', '--branch', branch, bare, clone);
      writeFileSync(join(clone, file), content);
      const as = ['-c', 'user.name=Eve', '-c', 'user.email=eve@localhost'];
      run('-C', clone, 'add', '--all');
      run('-C', clone, ...as, 'commit', '--quiet', '-m', 'From someone else');
      run('-C', clone, 'push', '--quiet', 'origin', branch);
      return run('-C', clone, 'rev-parse', 'HEAD').trim();
    },
  };
}

export type GitServer = Awaited<ReturnType<typeof startGitServer>>;

/** Handles a request with git's own CGI program. */
async function serve(root: string, request: IncomingMessage, path: string, query: string) {
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      HTTP_GIT_PROTOCOL: request.headers['git-protocol'] as string,
      REMOTE_USER: 'app',
      REMOTE_ADDR: '127.0.0.1',
    },
  });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  const output = Buffer.concat(chunks);
  const end = output.indexOf('\r\n\r\n');
  const headers = Object.fromEntries(
    output
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string]),
  );
  const { Status: status = '200', ...others } = headers;
  return { status: Number.parseInt(status, 10), headers: others, body: output.subarray(end + 4) };
}
