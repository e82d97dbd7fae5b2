import type { App, Logger as BoltLogger } from '@slack/bolt';
import type { Logger } from 'base/logger';
import { deliveryKind } from './delivery-address.ts';

/** The codes of the socket client's connection errors start with this. */
const ofSockets = 'slack_socket_mode_';
/** Over HTTP, Bolt has refused the delivery after Slack's three seconds. */
const tooLate = 'ERR_HTTP_HEADERS_SENT';

/** The acknowledgement can't reach Slack any more. The listener stops. */
export class AcknowledgementLost extends Error {
  override name = 'AcknowledgementLost';
  /** Bolt wraps errors without a code. */
  readonly code = 'acknowledgement_lost';
}

/**
 * While a delivery is handled, its connection may close, or Slack may stop waiting. That isn't an error, and nobody is notified. Slack repeats events
 * and tells people that their action failed; if they repeat it, it's the same submission or another click. Work after
 * the acknowledgement hasn't started, and work before it can be repeated.
 */
export function expectLostAcknowledgements(app: App, logger: Logger): void {
  const processEvent = app.processEvent.bind(app);
  app.processEvent = async (event) => {
    let lost: AcknowledgementLost | undefined;
    const ack = async (response?: unknown): Promise<void> => {
      if (lost) throw lost;
      try {
        await event.ack(response);
      } catch (error) {
        const why = whyLost(error);
        if (!why) throw error;
        const message = `${why} ${whatNext(event.body)}`;
        logger.info({ what: deliveryKind(event.body) }, message);
        lost = new AcknowledgementLost(message, { cause: error });
        throw lost;
      }
    };
    try {
      await processEvent({ ...event, ack });
    } catch (error) {
      // Bolt acknowledges events itself, outside of its error handling.
      if (error !== lost) throw error;
    }
  };
}

function whyLost(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith(ofSockets))
    return 'The connection to Slack closed before the acknowledgement.';
  if (code === tooLate) return 'The acknowledgement took longer than Slack waits.';
  return undefined;
}

const whatNext = (body: unknown): string =>
  Object(body).event_id === undefined
    ? 'Slack asks the person to try again.'
    : 'Slack will repeat the delivery.';

/** An HTML page instead of Slack's answer. */
const noAddress = /^Failed to retrieve a new WSS URL .*An API error occurred: \s*</;

/**
 * Turns errors that the socket client recovers from into one warning: broken connections (it logs two lines for each and
 * reconnects) and a proxy's page (it asks again). Lost acknowledgements are already logged above.
 */
export function forSockets(logger: BoltLogger): BoltLogger {
  return {
    ...logger,
    error: (...parts) => {
      const text = parts.map(String).join(' ');
      if (text.startsWith('Failed to send a ') || text.startsWith('WebSocket error! ')) return;
      if (noAddress.test(text))
        return logger.warn("Slack didn't return a connection URL; trying again");
      const [, reason] = /^WebSocket error occurred: ?(.*)/.exec(text) ?? [];
      if (reason === undefined) return logger.error(...parts);
      logger.warn(`A connection to Slack broke (${reason || 'no reason given'}); reconnecting`);
    },
  };
}
