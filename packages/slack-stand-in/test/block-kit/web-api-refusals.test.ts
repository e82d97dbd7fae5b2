import { describe, expect, it } from 'vitest';
import type { LocalWorkspace } from '../../src/index.ts';
import { useWorkspace } from '../support/use-workspace.ts';
import * as a from './fragments.ts';

const channel = 'C04ENGINEER';
const long = { type: 'section', text: a.mrkdwn('x'.repeat(3001)) };
const tooLong = '[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]';

type Answer = { ok: boolean; ts?: string; error?: string };

/** Calls as Slack's client does: a form with nested values as JSON text. */
async function call(workspace: LocalWorkspace, method: string, args: object): Promise<Answer> {
  const form = new URLSearchParams();
  for (const [key, value] of Object.entries(args)) {
    form.set(key, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const response = await fetch(workspace.apiUrl + method, {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.botToken}` },
    body: form,
  });
  return (await response.json()) as Answer;
}

describe('the Web API', () => {
  const { startWorkspace } = useWorkspace();

  it('refuses wrong blocks in posts, updates and ephemeral messages, with pointers', async () => {
    const workspace = await startWorkspace();
    const user = workspace.as('ada').person.id;
    const { ts } = await call(workspace, 'chat.postMessage', { channel, text: 'x' });
    const wrong = { channel, text: 'x', blocks: [long] };
    const calls = {
      'chat.postMessage': wrong,
      'chat.update': { ...wrong, ts },
      'chat.postEphemeral': { ...wrong, user },
    };
    for (const [method, args] of Object.entries(calls)) {
      expect(await call(workspace, method, args)).toMatchObject({
        ok: false,
        error: 'invalid_blocks',
        response_metadata: { messages: [tooLong] },
      });
    }
  });

  it('refuses a message with too much text in total', async () => {
    const workspace = await startWorkspace();
    const blocks = a.times(5, { type: 'section', text: a.mrkdwn('x'.repeat(3000)) });
    const answer = await call(workspace, 'chat.postMessage', { channel, text: 'x', blocks });
    expect(answer).toMatchObject({ ok: false, error: 'msg_blocks_too_long' });
  });

  it('refuses a wrong view', async () => {
    const workspace = await startWorkspace();
    const view = { type: 'home', blocks: [long] };
    const args = { user_id: workspace.as('ada').person.id, view };
    expect(await call(workspace, 'views.publish', args)).toMatchObject({
      ok: false,
      error: 'invalid_arguments',
      response_metadata: {
        messages: [
          '[ERROR] failed to match all allowed schemas [json-pointer:/view]',
          tooLong.replace('/blocks', '/view/blocks'),
        ],
      },
    });
  });

  it('checks blocks with blocks.validate without a token', async () => {
    const workspace = await startWorkspace();
    const check = async (args: Record<string, string>) => {
      const body = new URLSearchParams(args);
      const response = await fetch(`${workspace.apiUrl}blocks.validate`, { method: 'POST', body });
      return await response.json();
    };
    expect(await check({ view: JSON.stringify(a.aHome) })).toEqual({ ok: true });
    expect(await check({ blocks: JSON.stringify([long]) })).toEqual({
      ok: false,
      error: 'invalid_blocks',
      errors: [
        {
          code: 'failed_constraint',
          message: 'must be less than 3001 characters',
          pointer: '/0/text/text',
        },
      ],
    });
    expect(await check({})).toEqual({
      ok: false,
      error: 'invalid_arguments',
      response_metadata: {
        messages: ['must provide exactly one of `blocks`, `view`, or `message`'],
      },
    });
  });
});
