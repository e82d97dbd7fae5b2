import { mkdtempSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { useWorkspace } from '../support/use-workspace.ts';

const { startWorkspace } = useWorkspace();
const react = { type: 'react', channel: 'C04ALERTS01', name: 'eyes', on: true };

async function start() {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  writeFileSync(join(folder, 'main.js'), 'here');
  const workspace = await startWorkspace({ pageFolder: pathToFileURL(`${folder}/`) });
  const html = await (await fetch(workspace.url)).text();
  const token = /data-token="([^"]+)"/.exec(html)?.[1] ?? '';
  const ts = workspace.messagesIn('C04ALERTS01')[0]?.ts;
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${workspace.url}/page/actions`, {
      method: 'POST',
      headers: { 'x-page-token': token, ...headers },
      body: JSON.stringify(body),
    });
  const reaction = { person: 'U04ADALOVEL', action: { ...react, ts } };
  const reactions = () => workspace.messagesIn('C04ALERTS01')[0]?.reactions;
  return { workspace, token, post, reaction, reactions };
}

/** Sends a request with this Host header, which `fetch` can't set. */
function getAs(host: string, url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

describe('the page over HTTP', () => {
  it('allows no foreign content, no inline content and no framing', async () => {
    const { workspace } = await start();
    const { headers } = await fetch(workspace.url);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
  });

  it('carries out an action of its person', async () => {
    const { post, reaction, reactions } = await start();
    expect(await (await post(reaction)).json()).toEqual({ ok: true });
    expect(reactions()).toEqual([{ name: 'eyes', userIds: ['U04ADALOVEL'] }]);
  });

  it.each([
    ['without the token', { 'x-page-token': '' }],
    ['with a wrong token of the same length', { 'x-page-token': 'x'.repeat(32) }],
    ['from another origin', { origin: 'https://evil.example' }],
    ['from another port', { origin: 'http://127.0.0.1:1' }],
    ['that the browser calls cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['that the browser calls same-site', { 'sec-fetch-site': 'same-site' }],
  ])('rejects an action %s', async (_, headers) => {
    const { post, reaction, reactions } = await start();
    expect((await post(reaction, headers)).status).toBe(403);
    expect(reactions()).toEqual([]);
  });

  it('rejects foreign host names, to protect its token', async () => {
    const { workspace } = await start();
    expect(await getAs('rebound.example', workspace.url)).toBe(403);
  });

  it.each([
    ['no JSON', 'x'],
    ['an unknown action', { person: 'U04ADALOVEL', action: { type: 'destroy' } }],
    ['too much', { person: 'U04ADALOVEL', action: { ...react, ts: '1', more: true } }],
  ])('rejects %s', async (_, body) => {
    const { post } = await start();
    expect((await post(body)).status).toBe(400);
  });

  it.each([
    ['a click of a bot', { person: 'U04ALERTBOT', action: { type: 'openApp', tab: 'home' } }],
    ['an unknown person', { person: 'U0', action: { type: 'openApp', tab: 'home' } }],
    [
      'a closed modal',
      { person: 'U04ADALOVEL', action: { type: 'close', viewId: 'V1', everything: false } },
    ],
    [
      "a channel that the person can't see",
      { person: 'U04ALANTURI', action: { type: 'send', channel: 'C04SECRETS1', text: 'hi' } },
    ],
    [
      'a direct message to an unknown person',
      { person: 'U04ADALOVEL', action: { type: 'openDirect', person: 'U0' } },
    ],
  ])('returns an error message for %s', async (_, body) => {
    const { post } = await start();
    const response = await post(body);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ok: false, error: expect.stringMatching(/\w+ \w+/) });
  });

  it('serves its two files and no others', async () => {
    const { workspace } = await start();
    const get = (path: string) => fetch(`${workspace.url}/page/${path}`);
    expect(await (await get('main.js')).text()).toBe('here');
    expect((await get('main.css')).status).toBe(503);
    for (const path of ['main.ts', '..%2fpage.ts', '%2e%2e/page.ts', 'constructor', '__proto__']) {
      expect((await get(path)).status).toBe(404);
    }
  });

  it('leads from a permalink to the message', async () => {
    const { workspace } = await start();
    const get = (path: string) => fetch(workspace.url + path, { redirect: 'manual' });
    const found = await get('/archives/C04GENERAL1/p1700000000000100');
    expect(found.headers.get('location')).toBe('/#//C04GENERAL1/1700000000.000100');
    expect((await get('/archives/C04GENERAL1/nothing')).status).toBe(404);
  });
});
