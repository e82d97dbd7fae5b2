import type { App } from '@slack/bolt';
import { createLogger } from 'base/logger';
import { describe, expect, it } from 'vitest';
import { createBoltLogger } from '../../../../src/slack/connection/bolt-logger.ts';
import { answerEveryDelivery } from '../../../../src/slack/connection/deliveries/answer-deliveries.ts';
import { answerFailures } from '../../../../src/slack/connection/deliveries/answer-failures.ts';
import { createBoltApp } from '../../../support/bolt-app.ts';
import { listen } from '../../../support/listen.ts';

type Body = Parameters<App['processEvent']>[0]['body'];

function startApp() {
  const logger = createLogger('silent');
  const app = createBoltApp({ logger: createBoltLogger(logger) });
  answerFailures(app, logger);
  const listeners = listen(app);
  const afterwards = () => {};
  const sendPrivatelyIn = () => async () => {};
  const find = async (body: unknown) =>
    JSON.stringify(body).includes('T9') ? undefined : { teamId: 'T1' };
  const listenersOf = () => listeners;
  const deliveries = { noteArrival: async () => {} };
  answerEveryDelivery(app, { find, listenersOf, afterwards, sendPrivatelyIn, deliveries, logger });
  const errors: Error[] = [];
  app.error(async (error) => void errors.push(error));
  const answersTo = async (body: Body) => {
    const answers: unknown[] = [];
    await app.processEvent({ body, ack: async (answer?: unknown) => void answers.push(answer) });
    return answers;
  };
  return { listeners, errors, answersTo };
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
    const { listeners, errors, answersTo } = startApp();
    listeners.command('/agent', fails);
    listeners.action('go', fails);
    expect(await answersTo(command)).toHaveLength(1);
    expect(await answersTo(click)).toHaveLength(1);
    expect(errors).toHaveLength(2);
  });

  it('keeps a form open with its input, and shows the error at the first field', async () => {
    const { listeners, errors, answersTo } = startApp();
    listeners.view('go', fails);
    const blocks = [{ type: 'section' }, { type: 'input', block_id: 'prompt' }];
    expect(await answersTo({ ...submission, view: { ...view, blocks } })).toEqual([
      { response_action: 'errors', errors: { prompt: expect.stringContaining('went wrong') } },
    ]);
    expect(await answersTo(submission)).toEqual([undefined]);
    expect(errors).toHaveLength(2);
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
  const { listeners, errors, answersTo } = startApp();
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
  expect(errors).toEqual([]);
});
