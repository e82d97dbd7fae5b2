import type { App, ReceiverEvent } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import {
  type KeptDelivery,
  readDelivery,
  runSteps,
  type Step,
} from '../../src/slack/connection/deliveries/delivery.ts';
import {
  callListeners,
  createListeners,
  type ListenersToCall,
  takeEvents,
} from '../../src/slack/connection/deliveries/listeners.ts';

/**
 * Registers listeners of a workspace with Bolt, after these middleware steps. Returns `deliver`, which passes them a
 * delivery.
 */
export function listen(
  app: App,
  stepsFor: (listeners: ListenersToCall) => readonly Step[] = () => [],
) {
  const listeners = createListeners();
  const listenersOf = () => listeners;
  const client = new WebClient();
  const deliver = runSteps([
    (delivery, next) => next({ ...delivery, teamId: 'T1' }),
    takeEvents(listenersOf),
    ...stepsFor(listeners),
    callListeners(app, { listenersOf, clientOf: () => client }),
  ]);
  return {
    listeners,
    deliver: (event: ReceiverEvent, kept?: KeptDelivery) => deliver(readDelivery(event, kept)),
  };
}
