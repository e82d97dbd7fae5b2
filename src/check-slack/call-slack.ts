import { parseJson } from 'base/parse-json';
import { sleep } from 'base/sleep';
import { createSlackFetch, type OnSlackCall } from '../slack/connection/calls/slack-fetch.ts';
import { type Fields, fieldsOf } from '../slack/connection/deliveries/delivery-address.ts';

/**
 * Calls a Web API method. Returns Slack's answer unchanged, and the token's scopes. If Slack can't be reached, `error`
 * is `unreachable`.
 */
export type CallSlack = (
  method: string,
  args?: Fields,
) => Promise<Fields & { granted: readonly string[] }>;

type Calling = { apiUrl: string; token: string; onSlackCall: OnSlackCall };

const unreachable = () => Response.json({ ok: false, error: 'unreachable' });
const maxTries = 5;
const retryAfterMs = 2_000;

/** Creates a Web API client that returns every error, so that checks can see it. Retries only after rate limits. */
export function createCallSlack({ apiUrl, token, onSlackCall }: Calling): CallSlack {
  const slackFetch = createSlackFetch(undefined, onSlackCall);
  const send = (method: string, args: Fields) => {
    const given = Object.entries(args).filter(([, value]) => value !== undefined);
    const form = given.map(([name, value]): [string, string] => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]);
    return slackFetch(new URL(method, apiUrl), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams(form).toString(),
    });
  };
  return async (method, args = {}) => {
    for (let tries = 1; ; tries++) {
      const answer = await send(method, args).catch(unreachable);
      if (answer.status === 429 && tries < maxTries) {
        await answer.body?.cancel();
        await sleep(Number(answer.headers.get('retry-after')) * 1_000 || retryAfterMs);
        continue;
      }
      const granted = answer.headers.get('x-oauth-scopes')?.split(/\s*,\s*/) ?? [];
      const text = await answer.text().catch(() => '');
      return { ...fieldsOf(parseJson(text)), granted };
    }
  };
}
