import type { ReceiverEvent } from '@slack/bolt';
import { createLogger } from 'base/logger';
import { describe, expect, it } from 'vitest';
import {
  acknowledgeUnhandled,
  answerOtherWorkspaces,
} from '../../../../src/slack/connection/deliveries/answer-deliveries.ts';
import { answerFailures } from '../../../../src/slack/connection/deliveries/answer-failures.ts';
import { createBoltApp } from '../../../support/bolt-app.ts';
import { listen } from '../../../support/listen.ts';

type Body = ReceiverEvent['body'];

function startApp() {
  const lines: { msg: string }[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const afterwards = () => {};
  const sendPrivatelyIn = () => async () => {};
  const find = async (body: unknown) =>
    JSON.stringify(body).includes('T9') ? undefined : { teamId: 'T1' };
  const deliveries = { noteArrival: async () => {} };
  const { listeners, deliver } = listen(createBoltApp(), (all) => [
    answerOtherWorkspaces({ find, deliveries, afterwards, logger }),
    acknowledgeUnhandled({ listenersOf: () => all, sendPrivatelyIn, afterwards, logger }),
    answerFailures({ sendPrivatelyIn, logger }),
  ]);
  const answersTo = async (body: Body) => {
    const answers: unknown[] = [];
    await deliver({ body, ack: async (answer?: unknown) => void answers.push(answer) });
    return answers;
  };
  const failures = () => lines.filter(({ msg }) => msg === 'A listener failed');
  return { listeners, failures, answersTo };
}

const person = { team: { id: 'T1' }, user: { id: 'U2' }, trigger_id: '1.2.x' };
const command = {
  command: '/agent',
  team_id: 'T1',
  user_id: 'U2',
  channel_id: 'C1',
  trigger_id: '1',
};
const click = { type: 'block_actions', ...person, actions: [{ type: 'button', action_id: 'go' }] };
const view = { id: 'V1', callback_id: 'go', private_metadata: '', state: { values: {} } };
const submission = { type: 'view_submission', ...person, view };
const fails = () => Promise.reject(new Error('broken'));

describe('a listener that fails before it acknowledges', () => {
  it('leaves commands and clicks acknowledged, so that the error handler can answer', async () => {
    const { listeners, failures, answersTo } = startApp();
    listeners.command('/agent', fails);
    listeners.action('go', fails);
    expect(await answersTo(command)).toHaveLength(1);
    expect(await answersTo(click)).toHaveLength(1);
    expect(failures()).toHaveLength(2);
  });

  it('keeps a form open with its input, and shows the error at the first field', async () => {
    const { listeners, failures, answersTo } = startApp();
    listeners.view('go', fails);
    const blocks = [{ type: 'section' }, { type: 'input', block_id: 'prompt' }];
    expect(await answersTo({ ...submission, view: { ...view, blocks } })).toEqual([
      { response_action: 'errors', errors: { prompt: expect.stringContaining('hit an error') } },
    ]);
    expect(await answersTo(submission)).toEqual([undefined]);
    expect(failures()).toHaveLength(2);
  });

  it('answers a search with no options', async () => {
    const { listeners, answersTo } = startApp();
    listeners.options('go', fails);
    const search = { type: 'block_suggestion', ...person, action_id: 'go', value: 'x' };
    expect(await answersTo(search)).toEqual([{ options: [] }]);
  });
});

it("answers a delivery once, with the listener's answer", async () => {
  const { listeners, answersTo } = startApp();
  listeners.command('/agent', ({ ack }) => ack('heard'));
  listeners.action('go', ({ ack }) => ack());
  expect(await answersTo(command)).toEqual(['heard']);
  expect(await answersTo(click)).toEqual([undefined]);
});

it('acknowledges deliveries for another workspace, and no listener hears of them', async () => {
  const { listeners, failures, answersTo } = startApp();
  listeners.command('/agent', fails);
  listeners.action('go', fails);
  listeners.options('go', fails);
  const elsewhere = { team: { id: 'T9' } };
  expect(await answersTo({ ...click, ...elsewhere })).toEqual([undefined]);
  const search = { ...person, ...elsewhere, type: 'block_suggestion', action_id: 'go', value: 'x' };
  expect(await answersTo(search)).toEqual([{ options: [] }]);
  expect(await answersTo({ ...command, team_id: 'T9' })).toMatchObject([
    { text: expect.stringContaining('Only members') },
  ]);
  expect(failures()).toEqual([]);
});
