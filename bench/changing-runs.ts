import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Run } from 'runs-client/contract';

export const hourMs = 3_600_000;

export const runIdOf = (index: number) => `run-${index}`;
const aRun = (index: number, at: number, note: string): Run => ({
  run_id: runIdOf(index),
  title: 'Fix the flaky login test',
  prompt: 'The login test fails about one time in ten. Find out why and fix it. '.repeat(4),
  state: 'INPROGRESS',
  created_at: new Date(at).toISOString(),
  updated_at: new Date(at).toISOString(),
  status_message: { message: note },
  agent_config: { name: 'fix', model_id: 'model-1', environment_id: 'env-1' },
  creator: { type: 'user', uid: 'user-1', display_name: 'Robin' },
  source: 'SLACK',
  metadata: { request_id: `request-${index}` },
});

/** A runs API in memory, with single runs and lists sorted by update time (`updated_after` and cursor). */
export async function startStub(count: number, now = Date.now()) {
  const runs = new Map<string, Run>();
  const log: { at: number; id: string }[] = [];
  const counted = { lists: 0, gets: 0 };
  /** Start times of sweeps, in epoch ms. */
  const sweeps: number[] = [];
  const change = (index: number, note: string) => {
    const at = Math.max(Date.now(), log.at(-1)?.at ?? 0);
    const run = aRun(index, at, note);
    runs.set(run.run_id, run);
    log.push({ at, id: run.run_id });
    return at;
  };
  for (let index = 0; index < count; index += 1)
    runs.set(runIdOf(index), aRun(index, now - hourMs, 'started'));

  function list(query: URLSearchParams) {
    if (query.get('sort_order') === 'desc') return newest(Number(query.get('limit') ?? 20));
    const after = Date.parse(query.get('updated_after') ?? '') || 0;
    const limit = Number(query.get('limit') ?? 20);
    let place = Number(query.get('cursor') ?? 0);
    if (!query.has('cursor')) {
      let [low, high] = [0, log.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((log[middle]?.at ?? 0) > after) high = middle;
        else low = middle + 1;
      }
      place = low;
    }
    const found: Run[] = [];
    for (; place < log.length && found.length < limit; place += 1) {
      const { at, id } = log[place] ?? { at: 0, id: '' };
      const run = runs.get(id);
      if (run && Date.parse(run.updated_at) === at) found.push(run);
    }
    const hasNext = place < log.length;
    const page_info = { has_next_page: hasNext, ...(hasNext && { next_cursor: String(place) }) };
    return { runs: found, page_info };
  }

  function newest(limit: number) {
    const ids = new Set(log.slice(-10 * limit).map(({ id }) => id));
    const found = [...ids].flatMap((id) => runs.get(id) ?? []);
    found.sort((a, b) => b.updated_at.localeCompare(a.updated_at));
    return { runs: found.slice(0, limit), page_info: { has_next_page: false } };
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const isList = pathname.endsWith('/agent/runs');
    counted[isList ? 'lists' : 'gets'] += 1;
    if (isList && !searchParams.has('cursor')) sweeps.push(Date.now());
    const body = isList ? list(searchParams) : runs.get(pathname.split('/').at(-1) ?? '');
    // Send a Date header, because the client learns the service's clock from it.
    const date = new Date().toUTCString();
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json', date });
    response.end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    runs,
    change,
    counted,
    sweeps,
    close: () => server.close(),
  };
}
