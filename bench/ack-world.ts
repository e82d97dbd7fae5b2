/** The services around the bot in the acknowledgement benchmark: a Slack Web API and a runs API that accept everything. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type WorldCounts = { modals: number; posts: number; quietForMs: number };

const run = (runId: string) => ({
  run_id: runId,
  title: 'Fix the login test',
  prompt: 'Fix the login test',
  state: 'SUCCEEDED',
  created_at: '2026-11-01T12:00:00.000Z',
  updated_at: '2026-11-01T12:00:01.000Z',
});

/** Answers calls until the parent process disconnects. Sends the parent its origin, and its counts on request. */
export function serveWorld(): void {
  let [modals, posts, created, lastAt] = [0, 0, 0, 0];

  function answerSlack(method: string): object {
    if (method !== 'users.info' && method !== 'conversations.info') lastAt = performance.now();
    switch (method) {
      case 'auth.test':
        return { ok: true, team_id: 'T04BENCH', team: 'Bench', bot_id: 'B1', user_id: 'U0BOT' };
      case 'users.info':
        return { ok: true, user: { id: 'U1', team_id: 'T04BENCH', name: 'robin' } };
      case 'conversations.info':
        return {
          ok: true,
          channel: { id: 'C1', is_channel: true, is_private: false, is_member: true },
        };
      case 'views.open':
        modals += 1;
        return { ok: true, view: { id: `V${modals}`, hash: `hash-${modals}` } };
      case 'chat.postMessage':
        posts += 1;
        return { ok: true, channel: 'C1', ts: `${1_700_000_000 + posts}.000100` };
      default:
        return { ok: true, messages: [] };
    }
  }

  function answerRuns(method: string | undefined, path: string): object {
    const one = /\/agent\/runs\/([^/?]+)$/.exec(path)?.[1];
    if (one) return run(one);
    if (method === 'GET') return { runs: [], page_info: { has_next_page: false } };
    created += 1;
    lastAt = performance.now();
    return { run_id: `run-${created}`, state: 'QUEUED' };
  }

  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const path = request.url ?? '';
      const method = /^\/api\/([a-zA-Z.]+)$/.exec(path)?.[1];
      const body = JSON.stringify(method ? answerSlack(method) : answerRuns(request.method, path));
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  process.on('message', () => {
    const counts: WorldCounts = { modals, posts, quietForMs: performance.now() - lastAt };
    process.send?.(counts);
  });
}
