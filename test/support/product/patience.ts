import type { LocalWorkspace } from 'slack-stand-in';
import { onTestFinished } from 'vitest';
import { ackWaitMs } from '../../../src/slack/connection/deliveries/acknowledge-in-time.ts';

const patientMs = 20_000;

/**
 * Before an acknowledgment, the app waits less than a second for Slack. On a slow machine that isn't enough, the app
 * refuses what a person asks for, and a test waits for something else in vain. So the app waits longer, until the test
 * makes Slack slow by a fault.
 * @returns ends that, for tests where something else is slow
 */
export function waitPatiently({ faults }: Pick<LocalWorkspace, 'faults'>): () => void {
  const { setTimeout: start } = globalThis;
  const startLater = (run: () => void, afterMs?: number, ...given: []) =>
    start(run, afterMs === ackWaitMs ? patientMs : afterMs, ...given);
  const patient = Object.assign(startLater, start);
  Object.assign(globalThis, { setTimeout: patient });
  const losePatience = () => {
    if (globalThis.setTimeout === (patient as unknown)) globalThis.setTimeout = start;
  };
  onTestFinished(losePatience);
  const inject = faults.inject.bind(faults);
  faults.inject = (fault) => {
    losePatience();
    return inject(fault);
  };
  return losePatience;
}
