import type { Readings } from '../readings.ts';
import type { Person } from '../world/world.ts';
import type { Outcome } from './outcome.ts';

/** Guests can't use apps with the Agents feature: https://docs.slack.dev/ai/developing-agents */
export type GuestRule = { readings: Pick<Readings, 'guestsAreOut'> };

export const guestsOut = "Guests can't use apps with the Agents feature.";

export const isShutOut = ({ readings }: GuestRule, { role }: Person): boolean =>
  readings.guestsAreOut && role === 'guest';

export const refusedToGuest: Outcome = { acked: false, error: guestsOut };
