import type { Logger } from 'base/logger';
import type { Delivery, Step } from './delivery.ts';
import { deliveryKind } from './delivery-address.ts';

/** Start of the codes of the socket client's connection errors. */
const socketErrorPrefix = 'slack_socket_mode_';
/** Over HTTP, Bolt rejects a delivery after Slack's three seconds. */
const tooLate = 'ERR_HTTP_HEADERS_SENT';

/** The acknowledgement can't reach Slack anymore, so the listener stops. */
export class AcknowledgementLost extends Error {
  override name = 'AcknowledgementLost';
  /** Bolt wraps errors without a code. */
  readonly code = 'acknowledgement_lost';
}

/**
 * While a delivery is handled, its connection may close, or Slack may stop waiting. That isn't an error, and nobody is
 * notified. Slack repeats events and tells people that their action failed; if they repeat it, it's the same submission
 * or another click. Work after the acknowledgement hasn't started, and work before it can be repeated.
 */
export const expectLostAcknowledgements =
  (logger: Logger): Step =>
  async (delivery, next) => {
    const { body } = delivery;
    let lost: AcknowledgementLost | undefined;
    const ack: Delivery['ack'] = async (response) => {
      if (lost) throw lost;
      try {
        await delivery.ack(response);
      } catch (error) {
        const reason = lostReason(error);
        if (!reason) throw error;
        const message = `${reason} ${whatNext(body)}`;
        logger.info({ what: deliveryKind(body) }, message);
        lost = new AcknowledgementLost(message, { cause: error });
        throw lost;
      }
    };
    try {
      await next({ ...delivery, ack });
    } catch (error) {
      if (error !== lost) throw error;
    }
  };

function lostReason(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith(socketErrorPrefix))
    return 'The connection to Slack closed before the acknowledgement.';
  if (code === tooLate) return 'The acknowledgement took longer than Slack waits.';
  return undefined;
}

const whatNext = (body: unknown): string =>
  Object(body).event_id === undefined
    ? 'Slack asks the person to try again.'
    : 'Slack will repeat the delivery.';
