import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Logger } from 'base/logger';
import type { Deliveries } from '../../../store/inbox/deliveries.ts';
import type { SendPrivately } from '../../posting/post-privately.ts';
import type { Identity } from '../installations/installations.ts';
import type { RunningWork } from '../running-work.ts';
import { acknowledgeUnhandled, answerOtherWorkspaces } from './answer-deliveries.ts';
import { answerFailures } from './answer-failures.ts';
import { type Delivery, runSteps, type Step } from './delivery.ts';
import { callListeners, hearDeliveries, type ListenersToCall, takeEvents } from './listeners.ts';
import { expectLostAcknowledgements } from './lost-acknowledgements.ts';
import { ignoreRepeatedDeliveries, markAcknowledged } from './repeated-deliveries.ts';

/** Called after each delivery. `ackMs` is undefined if it wasn't acknowledged. */
export type OnDelivery = (delivery: {
  kind: string;
  ackMs: number | undefined;
  body: unknown;
}) => void;

type PipelineDeps = {
  bolt: App;
  running: RunningWork;
  onDelivery: OnDelivery | undefined;
  /** Finds the workspace of a delivery. Returns undefined if the app isn't installed there. */
  find(body: object): Promise<Identity | undefined>;
  listenersOf(teamId: string): ListenersToCall;
  workspaceOf(teamId: string): { promptClient: WebClient; sendPrivately: SendPrivately };
  deliveries: Deliveries;
  logger: Logger;
};

/**
 * Creates the function that passes each delivery from Slack to its listener, through these steps in this order. A step
 * sees errors and acknowledgements of the steps below it. Bolt's middleware isn't used, because Bolt acknowledges
 * events before its middleware runs. Bolt also never acknowledges what it can't read. See
 * docs/decisions/008-deliveries-go-through-one-pipeline.md.
 */
export function createPipeline(deps: PipelineDeps): (delivery: Delivery) => Promise<void> {
  const { bolt, running, onDelivery, find, listenersOf, workspaceOf, deliveries, logger } = deps;
  const { afterwards } = running;
  const clientOf = (teamId: string) => workspaceOf(teamId).promptClient;
  const sendPrivatelyIn = (teamId: string) => workspaceOf(teamId).sendPrivately;
  return runSteps([
    running.track,
    reportDeliveries(onDelivery),
    expectLostAcknowledgements(logger),
    answerOtherWorkspaces({ find, deliveries, afterwards, logger }),
    acknowledgeUnhandled({ listenersOf, sendPrivatelyIn, afterwards, logger }),
    takeEvents(listenersOf),
    hearDeliveries(listenersOf),
    markAcknowledged(deliveries),
    answerFailures({ sendPrivatelyIn, logger }),
    ignoreRepeatedDeliveries(deliveries),
    running.putOthersFirst,
    callListeners(bolt, { listenersOf, clientOf }),
  ]);
}

const kinds = new Set([
  ...['action', 'command', 'event', 'function', 'options', 'shortcut', 'view', 'view_closed'],
]);

const reportDeliveries =
  (onDelivery: OnDelivery = () => {}): Step =>
  async (delivery, next) => {
    const { body, address } = delivery;
    const beganAt = performance.now();
    let ackMs: number | undefined;
    const ack: Delivery['ack'] = async (response) => {
      ackMs ??= performance.now() - beganAt;
      await delivery.ack(response);
    };
    try {
      await next({ ...delivery, ack });
    } finally {
      const kind = address && kinds.has(address.kind) ? address.kind : 'other';
      onDelivery({ kind, ackMs, body });
    }
  };
