import { RespondError } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { StoreUnavailable } from 'base/database/store-unavailable';
import { createLogger } from 'base/logger';
import { expect, it } from 'vitest';
import { createBoltLogger } from '../../../../src/slack/connection/bolt-logger.ts';
import { listenerClientOptions } from '../../../../src/slack/connection/calls/web-client.ts';
import { listenerFailure } from '../../../../src/slack/connection/deliveries/answer-failures.ts';
import { failureSentence } from '../../../../src/slack/text/failure.ts';

/** Returns the error that the listeners' client throws for this answer. */
async function errorAfter(answer: Response | Error): Promise<unknown> {
  const client = new WebClient('xoxb-1', {
    ...listenerClientOptions('http://127.0.0.1:9/api/'),
    retryConfig: { retries: 0 },
    logger: createBoltLogger(createLogger('silent')),
    fetch: async () => {
      if (answer instanceof Error) throw answer;
      return answer.clone();
    },
  });
  return client.views
    .open({
      trigger_id: '1.2.a',
      view: { type: 'modal', title: { type: 'plain_text', text: 'A modal' }, blocks: [] },
    })
    .then(
      () => undefined,
      (error: unknown) => error,
    );
}

const html = { headers: { 'content-type': 'text/html' } };
const json = (body: object) => Response.json(body);

it.each([
  ["a proxy's page", new Response('<html>Sign in</html>', html), 'slack_trouble'],
  ['an empty body', new Response(''), 'slack_trouble'],
  ['an internal error', json({ ok: false, error: 'internal_error' }), 'slack_trouble'],
  ['a server error', new Response('upstream', { status: 503 }), 'slack_trouble'],
  ['no network', new TypeError('fetch failed'), 'slack_trouble'],
  ['429', new Response('', { status: 429, headers: { 'retry-after': '7' } }), 'slack_busy'],
  ['a rate limit in words', json({ ok: false, error: 'ratelimited' }), 'slack_busy'],
  ['a late trigger', json({ ok: false, error: 'expired_trigger_id' }), 'too_late'],
  ['an invalid view', json({ ok: false, error: 'invalid_arguments' }), 'unexpected'],
])('reads %s', async (_, answer, code) => {
  const failure = listenerFailure(await errorAfter(answer));
  expect(failure.code).toBe(code);
  expect(failure.reason).toMatch(/^[a-z_]+$/);
});

it.each([new Error('a bug'), new TypeError('x is undefined'), 'a text', undefined])(
  "doesn't blame Slack for a bug: %s",
  (error) => {
    expect(listenerFailure(error)).toMatchObject({ code: 'unexpected' });
  },
);

it.each([
  [429, 'slack_busy'],
  [503, 'slack_trouble'],
  [404, 'unexpected'],
])('reads a response_url that answers %i as %s', (status, code) => {
  expect(listenerFailure(new RespondError('no', status))).toMatchObject({ code });
});

it('names Slack in the sentence', () => {
  expect(failureSentence('slack_trouble')).toMatch(/^Slack had a problem/);
  expect(failureSentence('slack_busy')).toMatch(/^Slack is busy/);
});

it.each([
  ['undone', 'store_unavailable', 'Nothing was started'],
  ['unknown', 'store_unsure', 'may not have been saved'],
] as const)('reads a database that is unavailable (%s) as %s', (outcome, code, words) => {
  expect(listenerFailure(new StoreUnavailable(outcome)).code).toBe(code);
  expect(failureSentence(code)).toContain(words);
});
