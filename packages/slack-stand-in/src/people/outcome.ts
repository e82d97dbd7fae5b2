import type { Answer } from '../deliveries/delivery.ts';
import type { Readings } from '../readings.ts';
import type { Person, View } from '../world/world.ts';

/** The app's answer, or the error that Slack's client shows. */
export type Outcome = Answer | { acked: false; error: string };

/** Message or view of a click. */
export type Place = { channelId: string; messageTs: string } | { view: View };

/** An element: by action id, by the id of a block with one element, or by both if ids repeat. */
export type ElementId = string | { blockId: string; actionId: string };

/** Guests can't use apps with the Agents feature: https://docs.slack.dev/ai/developing-agents */
export type GuestRule = { readings: Pick<Readings, 'guestsAreOut'> };

export const guestsOut = "Guests can't use apps with the Agents feature.";

export const isShutOut = ({ readings }: GuestRule, { role }: Person): boolean =>
  readings.guestsAreOut && role === 'guest';

export const refusedToGuest: Outcome = { acked: false, error: guestsOut };
