import { HTTPReceiver, type Logger, type Receiver, SocketModeReceiver } from '@slack/bolt';
import type { SlackDelivery } from '../config.ts';

type ReceiverOptions = { delivery: SlackDelivery; apiUrl: string; logger: Logger; routes?: never };

/**
 * What Slack's deliveries arrive through. In Socket Mode two connections: after Slack asks one of them to reconnect it
 * is away for about five seconds, in which commands would fail.
 */
export function createReceivers({ delivery, apiUrl, logger }: ReceiverOptions): [Receiver, ...Receiver[]] {
  if (delivery.mode === 'http') {
    return [new HTTPReceiver({ signingSecret: delivery.signingSecret, logger })];
  }
  const { appToken } = delivery;
  const create = () =>
    new SocketModeReceiver({
      appToken,
      logger,
      // An object of its own for each: the socket client writes its long retries into it.
      installerOptions: { clientOptions: { slackApiUrl: apiUrl } },
    });
  return [create(), create()];
}
