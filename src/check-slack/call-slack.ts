import { parseJson } from 'base/parse-json';
import { sleep } from 'base/sleep';
import { createSlackFetch, type OnSlackCall } from '../slack/connection/calls/slack-fetch.ts';
import { type Fields, fieldsOf } from '../slack/connection/deliveries/delivery-address.ts';

/** Slack's answer as it is, with `ok` and `error`, and the scopes of the token. Without an answer, the error is `unreachable`. */
export type CallSlack = (
  method: string,
  args?: Fields,
) => Promise<Fields & { granted: readonly string[] }>;

type Calling = { apiUrl: string; token: string; onSlackCall: OnSlackCall };

const unreachable = () => Response.json({ ok: false, error: 'unreachable' });
const mostTries = 5;
const retryAfterMs = 2_000;

/** Calls the Web API as it is, without the client's own checks and retries. Waits when Slack limits the rate. */
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
      if (answer.status === 429 && tries < mostTries) {
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
