import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

const run = (state: string, more: object = {}) => ({
  run_id: 'run-of-the-stub',
  title: 'Go',
  prompt: 'go',
  state,
  created_at: '2026-11-01T12:00:00.000Z',
  updated_at: new Date().toISOString(),
  ...more,
});

const listed = (body: string) =>
  JSON.stringify({ runs: [JSON.parse(body) as object], page_info: { has_next_page: false } });

const never = -1;

/** Starts a runs API whose answers a test sets. It can be stopped and started again at the same address. */
export async function startApiStub() {
  let server: Server | undefined;
  let port = 0;
  let reply = () => ({ type: 'application/json', body: JSON.stringify(run('INPROGRESS')) });
  const created: string[] = [];
  /** Bodies of the create calls. */
  const createdBodies: unknown[] = [];
  /** Statuses of the next create calls, with the sentence of the problem. */
  const createProblems: { status: number; detail: string }[] = [];
  const canceled: string[] = [];
  /** Idempotency keys of the other posts. */
  const keys: unknown[] = [];
  /** Other posts: the end of the path, and the body. */
  const posted: { to: string; body: unknown }[] = [];
  const files = new Map<string, { type: string; body: string | Buffer }>();
  let postStatuses = [200];
  let cancelStatuses = [200];
  let takesFollowUps = false;
  let afterPost = () => {};

  const start = () =>
    new Promise<void>((resolve) => {
      server = createServer((request, response) => {
        const file = files.get(request.url ?? '');
        if (file) {
          response.writeHead(200, { 'content-type': file.type }).end(file.body);
          return;
        }
        if (request.url?.includes('/artifacts/')) {
          response.writeHead(404).end();
          return;
        }
        const [, to] = /\/(publish|pull-request|answers|followups)$/.exec(request.url ?? '') ?? [];
        if (to !== undefined && (to !== 'followups' || takesFollowUps)) {
          const chunks: Buffer[] = [];
          request.on('data', (chunk: Buffer) => chunks.push(chunk));
          request.on('end', () => {
            keys.push(request.headers['idempotency-key']);
            posted.push({ to, body: JSON.parse(Buffer.concat(chunks).toString()) });
            const status = postStatuses[posted.length - 1] ?? postStatuses.at(-1) ?? 200;
            const problem = { status, detail: 'The branch is protected.' };
            if (status < 300) afterPost();
            if (status === never) return;
            // Break the connection after the service has accepted the request.
            if (status === 0) request.socket.destroy();
            else
              response
                .writeHead(status, { 'content-type': 'application/json' })
                .end(JSON.stringify(status < 300 ? { run_id: 'run-of-the-stub' } : problem));
          });
          return;
        }
        const isCancel = request.url?.endsWith('/cancel');
        // Follow-ups are rejected unless the test enables them.
        if (request.url?.endsWith('/followups')) {
          request.resume().on('end', () => response.writeHead(404).end());
          return;
        }
        if (request.method === 'POST') (isCancel ? canceled : created).push(request.url ?? '');
        const { type, body } = reply();
        if (isCancel) {
          const status = cancelStatuses[canceled.length - 1] ?? cancelStatuses.at(-1) ?? 200;
          request.resume().on('end', () => {
            response
              .writeHead(status, { 'content-type': 'application/json' })
              .end(
                JSON.stringify({ run_id: 'run-of-the-stub', title: 'As the test says', status }),
              );
          });
          return;
        }
        const isList = request.url?.includes('/agent/runs?') && type !== 'text/html';
        const list = isList ? listed(body) : body;
        const isCreate = request.method === 'POST' && !isCancel;
        const problem = isCreate ? createProblems.shift() : undefined;
        const chunks: Buffer[] = [];
        request
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => {
            if (isCreate) createdBodies.push(JSON.parse(Buffer.concat(chunks).toString()));
            if (problem)
              response
                .writeHead(problem.status, { 'content-type': 'application/problem+json' })
                .end(JSON.stringify(problem));
            else response.writeHead(200, { 'content-type': type }).end(list);
          });
      }).listen(port, '127.0.0.1', () => {
        const address = server?.address() as AddressInfo;
        port = address.port;
        resolve();
      });
    });
  const stop = () =>
    new Promise<void>((resolve) => {
      server?.closeAllConnections();
      if (server?.listening) server.close(() => resolve());
      else resolve();
    });

  await start();
  onTestFinished(stop);
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    start,
    stop,
    created,
    createdBodies,
    createProblems,
    canceled,
    posted,
    keys,
    takesFollowUps() {
      takesFollowUps = true;
    },
    /** Sets a function to run after the service has accepted a post, even if its answer is lost. */
    afterPosts(happens: () => void) {
      afterPost = happens;
    },
    /**
     * Sets the statuses for publish requests, answers and follow-ups, in order. 0 breaks the connection, -1 never
     * answers. The last status repeats.
     */
    answersPosts(...statuses: number[]) {
      postStatuses = statuses;
    },
    /** Adds a file to the artifacts. */
    addArtifact(uid: string, body: string | Buffer) {
      const url = `http://127.0.0.1:${port}/files/${uid}`;
      const data = {
        download_url: url,
        expires_at: '2030-01-01T00:00:00Z',
        content_type: 'text/x-diff',
      };
      const artifact = { artifact_type: 'FILE', artifact_uid: uid, data };
      files.set(`/files/${uid}`, { type: 'text/x-diff', body });
      const path = `/api/v1/agent/artifacts/${uid}`;
      files.set(path, { type: 'application/json', body: JSON.stringify(artifact) });
      return () => files.delete(path);
    },
    answers(state: string, more?: object) {
      reply = () => ({ type: 'application/json', body: JSON.stringify(run(state, more)) });
    },
    /** Sets the statuses for cancellations, in order. The last one repeats. */
    answersCancel(...statuses: number[]) {
      cancelStatuses = statuses;
    },
    answersHtml() {
      const body = '<html><body><h1>Welcome to the proxy</h1></body></html>';
      reply = () => ({ type: 'text/html', body });
    },
  };
}
