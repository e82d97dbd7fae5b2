import type { Logger } from 'base/logger';
import type { Delivery, Step } from './delivery.ts';
import { deliveryKind } from './delivery-address.ts';

/** Prefix of the socket client's error codes for connection problems. */
const socketErrorPrefix = 'slack_socket_mode_';
/** Code of Bolt's error if an acknowledgement over HTTP comes after Slack's three seconds. */
const tooLate = 'ERR_HTTP_HEADERS_SENT';

/** Error that stops a listener, because its acknowledgement can't reach Slack anymore. */
export class AcknowledgementLost extends Error {
  override name = 'AcknowledgementLost';
  /** Code of the error, because Bolt wraps errors without one. */
  readonly code = 'acknowledgement_lost';
}

/**
 * Creates the step that ends a delivery quietly if its connection closes or Slack stops waiting. Slack repeats events
 * and tells people that their action failed. Repeating is safe, because the work hasn't started or can be repeated.
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
