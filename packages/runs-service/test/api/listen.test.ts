import { once } from 'node:events';
import { request } from 'node:http';
import { Hono } from 'hono';
import { expect, it, onTestFinished } from 'vitest';
import { sendsSlowly } from '../../../base/test/support/bad-senders.ts';
import { listen } from '../../src/api/listen.ts';

async function listening() {
  const app = new Hono()
    .post('*', async (context) => context.text(await context.req.text()))
    .onError((_, context) => context.text('cut', 500));
  let received = 0;
  const server = await listen(app, '127.0.0.1', 0, {
    answerDirectly: (incoming, response) => {
      if (!incoming.url?.startsWith('/direct/')) return false;
      incoming.on('data', (chunk: Buffer) => {
        received += chunk.length;
      });
      incoming.on('end', () => response.end(`direct ${incoming.url}`));
      return true;
    },
  });
  onTestFinished(() => server.close());
  return { url: `http://127.0.0.1:${server.port}`, received: () => received };
}

it('answers some paths before the app, and leaves the raw path as it was sent', async () => {
  const { url } = await listening();
  const sent = request(`${url}/direct/a`, { method: 'POST', path: '/direct/../a%2e%2e//b' });
  sent.end('x');
  const [answer] = await once(sent, 'response');
  expect(String(await answer.toArray())).toBe('direct /direct/../a%2e%2e//b');
  const other = await fetch(`${url}/other`, { method: 'POST', body: 'body' });
  expect(await other.text()).toBe('body');
});

it("ends slow uploads to the app after ten seconds, and not those of the direct paths' callers", async () => {
  const { url, received } = await listening();
  const slow = request(`${url}/direct/slow`, { method: 'POST' });
  slow.write('a');
  const { reply } = await sendsSlowly({ url: `${url}/other` });
  expect(reply).toMatch(/^HTTP\/1\.1 408 /);
  await expect.poll(received).toBe(1);
  slow.end('b');
  const [answer] = await once(slow, 'response');
  expect(answer.statusCode).toBe(200);
  answer.resume();
});
