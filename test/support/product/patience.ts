import type { LocalWorkspace } from 'slack-stand-in';
import { onTestFinished } from 'vitest';
import { ackWaitMs } from '../../../src/slack/connection/deliveries/acknowledge-in-time.ts';

const patientMs = 20_000;

/** A call that meets one of these takes its time, or is repeated. */
const slow: ReadonlySet<string> = new Set(['answer_delayed', 'rate_limited', 'server_error']);

/** Another timer can be as long by chance: of a loop, for example. */
const isAckWait = (afterMs?: number): boolean =>
  afterMs === ackWaitMs && Boolean(new Error().stack?.includes('soft-timeout'));

/**
 * Before an acknowledgment, the app waits less than a second for Slack. On a slow machine that isn't enough, the app
 * refuses what a person asks for, and a test waits for something else in vain. So the app waits longer, until the test
 * makes Slack slow by a fault.
 * @returns ends that, for tests where something else is slow
 */
export function waitPatiently({ faults }: Pick<LocalWorkspace, 'faults'>): () => void {
  const { setTimeout: start } = globalThis;
  let isPatient = true;
  const startLater = (run: () => void, afterMs?: number, ...given: []) =>
    start(run, isPatient && isAckWait(afterMs) ? patientMs : afterMs, ...given);
  Object.assign(globalThis, { setTimeout: Object.assign(startLater, start) });
  onTestFinished(() => void Object.assign(globalThis, { setTimeout: start }));
  const losePatience = () => {
    isPatient = false;
  };
  const inject = faults.inject.bind(faults);
  faults.inject = (fault) => {
    if (slow.has(fault.name)) losePatience();
    return inject(fault);
  };
  return losePatience;
}
