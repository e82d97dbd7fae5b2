import type { RunCap } from 'runs-client/run-limits';

/** Max spending of a run, a person, a channel, a group, an environment or a workspace within a period. */
export type SpendCap = {
  scope: RunCap['scope'];
  /** `operator` for caps of the environments file, `caller` for caps of the request. It decides who can allow more. */
  setBy: 'operator' | 'caller';
  /** Key of the counter, such as `person:T1/U1`. All caps with the same key and period share a counter. */
  key: string;
  /** Name for people, such as "Ada" or "#backend". Undefined for a run. */
  name: string | undefined;
  /** Limit in millionths of a US dollar. */
  limitMicros: number;
  per: RunCap['per'];
  /** IANA time zone in which days, weeks and months start. */
  timeZone: string;
};

/**
 * Returns the key of a counter that only one owner of API keys uses, such as `own:person:U1/T1/user ada`. Labels and the
 * names of owners have no slashes.
 */
export const apartKey = (
  owner: string,
  scope: SpendCap['scope'],
  ...ids: readonly (string | undefined)[]
) => `own:${scope}:${[...ids.filter((id) => id !== undefined), owner].join('/')}`;

/** Returns true if runs of other owners of API keys can count for a cap. */
export const isSharedKey = ({ scope, key }: SpendCap): boolean =>
  scope !== 'run' && !key.startsWith('own:');

/** A cap with the state of its counter in the current period. Amounts are in millionths of a US dollar. */
export type CapState = {
  cap: SpendCap;
  /** Name of the counter's period, such as `month 2026-11-01 Europe/Berlin`, or `run`. */
  period: string;
  /** Time when the next period starts, in epoch ms. Null for a run. */
  resetsAt: number | null;
  spent: number;
  reserved: number;
  /** Amount that people have allowed in addition to the limit, for caps with the same `setBy`. */
  allowed: number;
};

/** Returns true if no call can start, because the cap's amount is spent or reserved. */
export const isUsedUp = ({ cap, spent, reserved, allowed }: CapState): boolean =>
  spent + reserved >= cap.limitMicros + allowed;

/** Returns the cap of which the largest share is used up. Without caps, returns undefined. */
export function tightestOf(states: readonly CapState[]): CapState | undefined {
  const share = ({ cap, spent, reserved, allowed }: CapState) =>
    (spent + reserved) / (cap.limitMicros + allowed);
  return states.reduce<CapState | undefined>(
    (tightest, state) => (tightest && share(tightest) >= share(state) ? tightest : state),
    undefined,
  );
}
