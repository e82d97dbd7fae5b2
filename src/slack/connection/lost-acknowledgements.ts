import type { App, Logger as BoltLogger } from '@slack/bolt';
import type { Logger } from '../../lib/logger.ts';
import { whatWas } from './describe-delivery.ts';

/** What the socket client's errors have as the beginning of their code, when a connection is not there. */
const ofSockets = 'slack_socket_mode_';

/** The connection went before Slack heard that a delivery has arrived. The listener goes no further. */
export class AcknowledgementLost extends Error {
  override name = 'AcknowledgementLost';
  /** Bolt wraps errors without a code. */
  readonly code = 'acknowledgement_lost';
}

/**
 * A connection may end while a delivery is looked at: nothing is wrong then, and nobody is told. Slack delivers an event
 * again, and tells a person that what they did has not worked; what they do again is the same submission, or another
 * click. What comes after an acknowledgement has not begun, and what came before may come again.
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
        if (!isOfSockets(error)) throw error;
        const message = `the connection to Slack ended before this was acknowledged; ${whatNext(event.body)}`;
        logger.info({ what: whatWas(event.body) }, message);
        lost = new AcknowledgementLost(message, { cause: error });
        throw lost;
      }
    };
    try {
      await processEvent({ ...event, ack });
    } catch (error) {
      // Bolt acknowledges events itself, where no listener's error is handled.
      if (error !== lost) throw error;
    }
  };
}

const isOfSockets = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith(ofSockets);

const whatNext = (body: unknown): string =>
  Object(body).event_id === undefined
    ? 'Slack tells the person to try again'
    : 'Slack delivers it again';

/** A page in place of Slack's answer. */
const noAddress = /^Failed to retrieve a new WSS URL .*An API error occurred: \s*</;

/**
 * The socket client logs as errors what is told of here, two lines for every connection that breaks, of which it makes
 * another, and a proxy's page, after which it asks again.
 */
export function forSockets(logger: BoltLogger): BoltLogger {
  return {
    ...logger,
    error: (...parts) => {
      const text = parts.map(String).join(' ');
      if (text.startsWith('Failed to send a ') || text.startsWith('WebSocket error! ')) return;
      if (noAddress.test(text))
        return logger.warn('Slack did not say where to connect; asking again');
      const [, reason] = /^WebSocket error occurred: ?(.*)/.exec(text) ?? [];
      if (reason === undefined) return logger.error(...parts);
      logger.warn(`a connection to Slack broke (${reason || 'no reason given'}); making another`);
    },
  };
}
