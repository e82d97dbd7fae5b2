import { describe, expect, it } from 'vitest';
import { aRun, type Received, sendJson, startApiServer } from '../support/api-server.ts';

const cursorOf = ({ url }: Received) => new URL(url, 'http://x').searchParams.get('cursor');
const page = (id: string, next_cursor?: string) => ({
  runs: [aRun({ run_id: id })],
  page_info: { has_next_page: next_cursor !== undefined, next_cursor },
});

/** Returns three pages, with the cursors none, "b" and "c". */
const threePages = () =>
  startApiServer((response, request) => {
    const cursor = cursorOf(request);
    const answer = cursor === 'c' ? page('3') : cursor === 'b' ? page('2', 'c') : page('1', 'b');
    sendJson(response, 200, answer, { 'x-request-id': `page-${cursor}` });
  });

async function idsOf(list: AsyncIterable<{ run_id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const run of list) ids.push(run.run_id);
  return ids;
}

describe('a list of runs', () => {
  it('iterates over the runs of all pages, with the same filters on each', async () => {
    const api = await threePages();
    expect(await idsOf(api.client().runs.list({ creator: 'ada' }))).toEqual(['1', '2', '3']);
    expect(api.received.every(({ url }) => url.includes('creator=ada'))).toBe(true);
  });

  it('requests no page that is not needed', async () => {
    const api = await threePages();
    for await (const run of api.client().runs.list()) {
      if (run.run_id === '2') break;
    }
    expect(api.received).toHaveLength(2);
  });

  it('returns one page, and the next on request', async () => {
    const api = await threePages();
    const first = await api.client().runs.list({ limit: 1 });
    expect([first.runs[0]?.run_id, first.hasNext()]).toEqual(['1', true]);
    const second = await first.next();
    const third = await second.next();
    expect([third.runs[0]?.run_id, third.hasNext()]).toEqual(['3', false]);
    await expect(third.next()).rejects.toThrow('last page');
    expect((await first.next()).runs).toEqual(second.runs);
  });

  it('returns the response with its first page', async () => {
    const api = await threePages();
    const { data, requestId } = await api.client().runs.list().withResponse();
    expect([data.runs.length, requestId]).toEqual([1, 'page-null']);
    const raw = await api.client().runs.list().asResponse();
    expect(JSON.parse(String((await raw.body.toArray()).join('')))).toMatchObject(page('1', 'b'));
  });

  it('continues after an empty page', async () => {
    const api = await startApiServer((response, request) =>
      sendJson(response, 200, cursorOf(request) ? page('1') : { ...page('', 'b'), runs: [] }),
    );
    expect(await idsOf(api.client().runs.list())).toEqual(['1']);
  });

  it('requests smaller pages if one is too large', async () => {
    const prompt = 'x'.repeat(1_000);
    const api = await startApiServer((response, { url }) => {
      const query = new URL(url, 'http://x').searchParams;
      const from = Number(query.get('cursor') ?? 0);
      const to = Math.min(10, from + Number(query.get('limit')));
      const ids = Array.from({ length: to - from }, (_, at) => `${from + at}`);
      const runs = ids.map((run_id) => aRun({ run_id, prompt }));
      const next_cursor = to < 10 ? `${to}` : undefined;
      sendJson(response, 200, { runs, page_info: { has_next_page: to < 10, next_cursor } });
    });
    const list = api.client({ maxReplyBytes: 4_000 }).runs.list({ limit: 10 });
    expect(await idsOf(list)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    const tiny = api.client({ maxReplyBytes: 400 }).runs.list({ limit: 10 });
    await expect(idsOf(tiny)).rejects.toThrow('more than 400 bytes');
  });

  it.each([
    ['its own cursor', () => 'a', 2],
    ['an earlier cursor', (cursor: string | null) => (cursor === 'a' ? 'b' : 'a'), 3],
  ])('detects a service that repeats %s', async (_, next, requests) => {
    const api = await startApiServer((response, request, count) =>
      sendJson(response, 200, page(`r${count}`, next(cursorOf(request)))),
    );
    await expect(idsOf(api.client().runs.list())).rejects.toMatchObject({
      code: 'bad_response',
      message: expect.stringContaining('repeats a cursor'),
    });
    expect(api.received).toHaveLength(requests);
  });

  it('detects a service that promises a page without a cursor', async () => {
    const answer = { runs: [], page_info: { has_next_page: true } };
    const api = await startApiServer((response) => sendJson(response, 200, answer));
    await expect(idsOf(api.client().runs.list())).rejects.toThrow('no cursor');
  });

  it('detects a service that repeats a page under new cursors', async () => {
    const api = await startApiServer((response, _, count) =>
      sendJson(response, 200, page('x', `c${count}`)),
    );
    await expect(idsOf(api.client().runs.list())).rejects.toThrow('repeats a page');
    expect(api.received).toHaveLength(2);
  });

  it('detects a service that never ends', async () => {
    const api = await startApiServer((response, _, count) =>
      sendJson(response, 200, {
        runs: [],
        page_info: { has_next_page: true, next_cursor: `c${count}` },
      }),
    );
    await expect(idsOf(api.client().runs.list())).rejects.toMatchObject({
      code: 'bad_response',
      message: expect.stringContaining('empty pages'),
    });
  });
});
