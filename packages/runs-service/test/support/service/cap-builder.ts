import type { CapState, SpendCap } from '../../../src/store/spend-cap.ts';

const defaults: SpendCap = {
  scope: 'run',
  setBy: 'caller',
  key: 'run:r',
  name: undefined,
  limitMicros: 5_000_000,
  per: 'run',
  timeZone: 'Europe/Berlin',
};

/** Creates the state of a cap. By default, it's a cap of $5.00 for a run that has spent nothing. */
export function aCapState({
  cap,
  ...more
}: Partial<Omit<CapState, 'cap'>> & { cap?: Partial<SpendCap> }): CapState {
  return {
    cap: { ...defaults, ...cap },
    period: 'run',
    resetsAt: null,
    spent: 0,
    reserved: 0,
    allowed: 0,
    ...more,
  };
}
