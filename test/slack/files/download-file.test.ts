import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fixedToken } from '../../../src/slack/connection/installations/installations.ts';
import { downloadFile } from '../../../src/slack/files/download-file.ts';

type Seen = { path: string; token: string | undefined };

/** Starts a host that redirects, hangs, fails or answers, depending on the path. */
async function startHost() {
  const seen: Seen[] = [];
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    seen.push({ path, token: request.headers.authorization });
    const status = Number(path.slice(1, 4)) || 200;
    const location = status === 302 ? { location: '/200' } : {};
    response.writeHead(status, location).end('x'.repeat(100));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const { signal } = new AbortController();

describe('downloading a file', () => {
  it.each([
    ['/200', 'read'],
    ['/302', 'denied'],
    ['/404', 'denied'],
    ['/429', 'later'],
    ['/503', 'later'],
  ])('%s of Slack: %s', async (path, outcome) => {
    const { url, seen } = await startHost();
    const parts = { tokens: fixedToken('xoxb-1'), apiUrl: `${url}/api/` };
    const answer = await downloadFile(parts, url + path, { maxBytes: 100, signal });
    expect(answer.outcome).toBe(outcome);
    expect(seen).toEqual([{ path, token: 'Bearer xoxb-1' }]);
  });

  it('stops at the limit', async () => {
    const { url } = await startHost();
    const parts = { tokens: fixedToken('xoxb-1'), apiUrl: `${url}/api/` };
    const answer = await downloadFile(parts, `${url}/200`, { maxBytes: 99, signal });
    expect(answer.outcome).toBe('too_large');
  });

  it('never sends the token to another host', async () => {
    const { url, seen } = await startHost();
    const parts = { tokens: fixedToken('xoxb-1'), apiUrl: 'https://slack.com/api/' };
    const foreign = ['/', ' ', 'https://evil.example/a', 'https://notslack.com/a'];
    const insecure = ['http://files.slack.com/a', 'https://slack.com@evil.example/a'];
    for (const address of [`${url}/200`, ...foreign, ...insecure])
      expect(await downloadFile(parts, address, { maxBytes: 100, signal })).toEqual({
        outcome: 'denied',
      });
    expect(seen).toEqual([]);
  });
});
