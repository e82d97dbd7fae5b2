import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashOfFile } from '../../../src/artifacts/content-writer.ts';
import { createSealedWriter, newFileKey } from '../../../src/execution/memory/sealed-file.ts';
import { temporaryFolder } from '../../support/runs-service.ts';
import { aReport as report, twoRuns } from './two-runs.ts';

describe('the access of run-one', () => {
  it('opens one run with its token, for the first process, until the run has ended', async () => {
    const { ids, tokenOf, call, until, create, request } = await twoRuns();
    const [one, two] = ids;
    for (const token of ['', 'x', tokenOf(two)])
      expect((await call(one, '/start', { token })).status).toBe(401);
    expect((await call('no-such-run', '/start', { token: tokenOf(one) })).status).toBe(401);
    expect((await call(one, '/start', { worker: 'bad worker' })).status).toBe(401);
    const work = await call(one, '/start');
    expect(await work.json()).toMatchObject({ run: { id: one, prompt: 'one' } });
    expect((await call(one, '/start')).status).toBe(200);
    expect((await call(one, '/start', { worker: randomUUID() })).status).toBe(403);
    // The token of a run doesn't work as an API key.
    const asKey = { headers: { authorization: `Bearer ${tokenOf(one)}` } };
    expect((await request('/agent/runs', asKey)).status).toBe(401);
    const end = JSON.stringify({ end: { state: 'SUCCEEDED' }, output_bytes: 0 });
    expect((await call(one, '/end', { body: end })).status).toBe(200);
    await until(one ?? '', 'SUCCEEDED');
    expect((await call(one, '/end', { body: end })).status).toBe(200);
    for (const path of ['/start', '/report', '/followup', '/artifacts'])
      expect(await (await call(one, path, { body: report() })).json()).toMatchObject({
        type: 'urn:slash-agent:problem:already_ended',
      });
    expect((await create({ prompt: 'three' })).ok).toBe(true);
  });

  it('ends with a cancel, although the process has reported no end', async () => {
    const { ids, call, request, until } = await twoRuns();
    const [one = ''] = ids;
    await request(`/agent/runs/${one}/cancel`, { method: 'POST' });
    await until(one, 'CANCELLED');
    for (const path of ['/start', '/report', '/end'])
      expect((await call(one, path, { body: report() })).status).toBe(400);
  });

  it('never shows the work of a run with its own secrets of the service', async () => {
    const { ids, call } = await twoRuns();
    const text = await (await call(ids[0], '/start')).text();
    for (const word of ['session_token', 'creator', 'idempotency', 'request_hash'])
      expect(text).not.toContain(word);
  });

  const many = Array.from({ length: 101 }, () => ({ note: 'x' }));
  const rubbish: [name: string, path: string, body: string, status: number][] = [
    ['no JSON', '/report', '{', 400],
    ['an endless body', '/report', ' '.repeat(9 * 1024 * 1024), 413],
    ['a NUL character as a question', '/questions/%00/close', '{"note":""}', 404],
    ['another shape', '/report', '[]', 400],
    ['too many events', '/report', report({ events: many }), 422],
    ['an unknown event', '/report', report({ events: [{ state: 'SUCCEEDED' }] }), 400],
    ['a negative number', '/report', report({ from: -1 }), 400],
    ['an endless wait', '/report', report({ wait_seconds: 1e9 }), 422],
    ['a NUL character', '/report', report({ events: [{ note: 'a\0b' }] }), 422],
    ['an unknown state', '/end', '{"end":{"state":"QUEUED"},"output_bytes":0}', 400],
    [
      'a question without an end',
      '/questions',
      JSON.stringify({ question: { id: 'q', text: 'x'.repeat(300_000), options: [] } }),
      400,
    ],
    [
      'a question with an endless name',
      '/questions',
      JSON.stringify({ question: { id: 'q'.repeat(101), text: 'x', options: [] } }),
      400,
    ],
    ['endless progress', '/report', report({ progress: { step: 'x'.repeat(2_000_000) } }), 400],
    [
      'a link with a password',
      '/artifacts',
      '{"artifacts":[{"artifactType":"EXTERNAL_REFERENCE","data":{"link":{"url":"https://a:b@c.test","title":"t"}}}]}',
      400,
    ],
    [
      'a file without a content',
      '/artifacts',
      '{"artifacts":[{"artifactType":"FILE","data":{}}]}',
      400,
    ],
    [
      'a link in the end',
      '/end',
      '{"end":{"state":"FAILED","status":{"message":"x","auth_url":"https://x.test"}},"output_bytes":0}',
      400,
    ],
    ['a path as a file', '/files/..%2f..%2fx', '{"bytes":1}', 404],
    ['an unknown file', '/files/passwd', '{"bytes":1}', 404],
    [
      'bases that are no commits',
      '/files/patch',
      '{"bytes":0,"bases":[{"folder":"x","base":"--x"}]}',
      400,
    ],
    [
      'a path as a content',
      '/artifacts',
      '{"artifacts":[{"artifactType":"FILE","data":{"file":{"contentName":"../x","key":"k","bytes":1,"contentType":"x/y","path":"a"}}}]}',
      400,
    ],
    [
      'a link that is a script',
      '/artifacts',
      '{"artifacts":[{"artifactType":"EXTERNAL_REFERENCE","data":{"link":{"url":"javascript:x","title":"t"}}}]}',
      400,
    ],
  ];
  it('rejects rubbish, and the run continues', async () => {
    const { ids, call, get } = await twoRuns();
    const [one = ''] = ids;
    await call(one, '/start');
    for (const [name, path, body, status] of rubbish)
      expect([name, (await call(one, path, { body })).status]).toEqual([name, status]);
    expect((await get(one)).state).toBe('INPROGRESS');
  });

  it('takes each chunk of a file once, in its order, within the limits', async () => {
    const { ids, call } = await twoRuns();
    const [one] = ids;
    await call(one, '/start');
    const put = async (name: string, offset: number | string, body: string) => {
      const answer = await call(one, `/files/${name}?offset=${offset}`, { method: 'PUT', body });
      return answer.ok ? ((await answer.json()) as { have: number }).have : answer.status;
    };
    expect(await put('output', 0, 'abc')).toBe(3);
    expect(await put('output', 0, 'abc')).toBe(3);
    expect(await put('output', 5, 'gap')).toBe(3);
    expect(await put('output', 2, 'cde')).toBe(5);
    expect(await put('output', -1, 'x')).toBe(400);
    expect(await put('output', 'x', 'x')).toBe(400);
    expect(await put('output', 9e12, 'x')).toBe(413);
    expect(await put(`content-${'0'.repeat(64)}`, 0, 'wrong')).toBe(5);
    const finish = (name: string, bytes: number) =>
      call(one, `/files/${name}`, { body: JSON.stringify({ bytes }) });
    expect((await finish(`content-${'0'.repeat(64)}`, 5)).status).toBe(400);
    expect(await (await finish('output', 6)).json()).toEqual({ missing: true });
    expect(await (await finish('patch', 1)).json()).toEqual({ missing: true });
    const end = { end: { state: 'SUCCEEDED' }, output_bytes: 6 };
    const ended = await call(one, '/end', { body: JSON.stringify(end) });
    expect(await ended.json()).toEqual({ missing: true });
  });

  it('shows files as they are, not as their pod calls them, and none of another run', async () => {
    const { ids, call, get } = await twoRuns();
    const [one = '', two = ''] = ids;
    for (const id of ids) await call(id, '/start');
    const upload = async (text: string | Buffer) => {
      const content = join(temporaryFolder(), 'content');
      const key = newFileKey();
      const sealed = createSealedWriter(content, key, Number.POSITIVE_INFINITY);
      sealed.push(Buffer.from(text));
      sealed.close();
      const contentName = await hashOfFile(content);
      const bytes = readFileSync(content);
      const path = `/files/content-${contentName}`;
      await call(one, `${path}?offset=0`, { method: 'PUT', body: bytes });
      await call(one, path, { body: JSON.stringify({ bytes: bytes.length }) });
      return { contentName, key, bytes: Buffer.byteLength(text) };
    };
    const script = await upload('<script>');
    const picture = await upload(Buffer.from('89504e470d0a1a0a00', 'hex'));
    const about = (more: object) => {
      const file = { ...script, contentType: 'image/png', path: 'a.png', ...more };
      return { artifactType: 'SCREENSHOT', data: { file } };
    };
    const leave = async (id: string, ...files: object[]) =>
      (await call(id, '/artifacts', { body: JSON.stringify({ artifacts: files.map(about) }) }))
        .status;
    expect(await leave(two, { key: newFileKey() })).toBe(400);
    expect(await leave(two, { contentName: 'f'.repeat(64) })).toBe(400);
    for (const bytes of [7, 9]) expect(await leave(two, { bytes })).toBe(400);
    expect(await leave(two, { bytes: 1e9 })).toBe(413);
    const named = `a\n\u202e${'x'.repeat(500)}`;
    const files = [
      { contentType: 'a\r\nset-cookie: b', path: named },
      { contentType: 'text/markdown', path: 'notes.html' },
      { contentType: 'text/x-diff', path: 'folder/changes.patch' },
      { contentType: 'text/x-diff', path: 'answer.md' },
      { ...picture, contentType: 'text/x-diff', path: 'changes.patch' },
      { ...picture, contentType: 'text/markdown', path: 'answer.md' },
      // Artifacts that `run-one` itself creates.
      { contentType: 'text/x-diff', path: 'changes.patch' },
      { contentType: 'text/markdown', path: 'answer.md' },
      // Files of an agent that have the same names.
      { contentType: 'text/plain', path: 'answer.md' },
    ];
    expect(await leave(one, ...files)).toBe(200);
    const end = { end: { state: 'SUCCEEDED' }, output_bytes: 0 };
    await call(one, '/end', { body: JSON.stringify(end) });
    const artifacts = (await get(one)).artifacts ?? [];
    expect(artifacts[0]?.data).toMatchObject({
      size_bytes: 8,
      filepath: expect.stringMatching(/^a x{197}…$/),
    });
    expect(
      artifacts.map(({ artifact_type, data }) => [artifact_type, data?.['mime_type']]),
    ).toEqual([
      ...Array(4).fill(['FILE', 'text/plain']),
      ...Array(2).fill(['SCREENSHOT', 'image/png']),
      ['FILE', 'text/x-diff'],
      ['FILE', 'text/markdown'],
      ['FILE', 'text/plain'],
    ]);
  });
});
