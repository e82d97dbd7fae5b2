import { createLogger } from 'base/logger';
import { describe, expect, it } from 'vitest';
import { createBoltLogger } from '../../../../src/slack/connection/bolt-logger.ts';
import { expectLostAcknowledgements } from '../../../../src/slack/connection/deliveries/lost-acknowledgements.ts';
import { forSockets } from '../../../../src/slack/connection/socket-receiver.ts';
import { createBoltApp } from '../../../support/bolt-app.ts';
import { listen } from '../../../support/listen.ts';

type Line = { level: number; msg: string; what?: string };

function startApp() {
  const lines: Line[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const errors: unknown[] = [];
  const { listeners, deliver } = listen(createBoltApp(), () => [
    expectLostAcknowledgements(logger),
    (delivery, next) =>
      next(delivery).catch((error: unknown) => {
        errors.push(error);
        throw error;
      }),
  ]);
  return { listeners, deliver, lines, errors, logger };
}

const brokenSocket = () =>
  Promise.reject(
    Object.assign(new Error('not ready'), { code: 'slack_socket_mode_send_while_not_ready_error' }),
  );

const mention = {
  type: 'event_callback',
  event_id: 'Ev1',
  team_id: 'T1',
  event: { type: 'app_mention', channel: 'C1', user: 'U2', text: 'hello', ts: '1.0' },
};
const submission = {
  type: 'view_submission',
  team: { id: 'T1' },
  user: { id: 'U2' },
  view: { type: 'modal', callback_id: 'form' },
};

describe("an acknowledgement that can't be sent", () => {
  it('runs no listener for an event, because Slack repeats the delivery', async () => {
    const { listeners, deliver, lines } = startApp();
    let ran = 0;
    listeners.event('app_mention', async () => {
      ran += 1;
    });
    await deliver({ body: mention, ack: brokenSocket });
    expect(ran).toBe(0);
    expect(lines).toMatchObject([{ level: 30, what: 'app_mention' }]);
    expect(lines[0]?.msg).toContain('Slack will repeat the delivery');
  });

  it("ends the listener of a person's action after one attempt and one log line", async () => {
    const { listeners, deliver, lines, errors } = startApp();
    let sent = 0;
    const ack = () => {
      sent += 1;
      return brokenSocket();
    };
    let wentOn = false;
    listeners.view('form', async (args) => {
      await args.ack().catch(() => args.ack());
      wentOn = true;
    });
    await deliver({ body: submission, ack });
    expect({ sent, wentOn }).toEqual({ sent: 1, wentOn: false });
    expect(errors).toMatchObject([{ code: 'acknowledgement_lost' }]);
    expect(lines).toMatchObject([{ level: 30, what: 'view_submission' }]);
    expect(lines[0]?.msg).toContain('Slack asks the person to try again');
  });

  it('passes on all other errors', async () => {
    const { deliver, lines } = startApp();
    const ack = () => Promise.reject(new Error('disk full'));
    await expect(deliver({ body: mention, ack })).rejects.toThrow('disk full');
    expect(lines).toEqual([]);
  });
});

describe('log lines of the socket client', () => {
  it.each([
    ['Failed to send a message as the client has no active connection', []],
    ['WebSocket error! SMWebsocketError', []],
    [
      'WebSocket error occurred: reset',
      [{ level: 40, msg: 'A connection to Slack broke (reset); reconnecting' }],
    ],
    [
      'WebSocket error occurred: ',
      [{ level: 40, msg: 'A connection to Slack broke (no reason given); reconnecting' }],
    ],
    [
      'Failed to retrieve a new WSS URL (error: WebAPIPlatformError: An API error occurred: <html>\nSign in</html>)',
      [{ level: 40, msg: "Slack didn't return a connection URL; trying again" }],
    ],
    [
      'Failed to retrieve a new WSS URL (error: WebAPIPlatformError: An API error occurred: invalid_auth)',
      [{ level: 50 }],
    ],
    ['Failed to send ping to Slack', [{ level: 50, msg: 'Failed to send ping to Slack' }]],
  ])('%s', (text, expected) => {
    const { lines, logger } = startApp();
    forSockets(createBoltLogger(logger)).error(text);
    expect(lines).toMatchObject(expected);
    expect(lines).toHaveLength(expected.length);
  });
});
