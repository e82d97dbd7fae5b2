import type { Answer } from '../deliveries/delivery.ts';
import type { Readings } from '../readings.ts';
import type { Person, View } from '../world/world.ts';

/** The app's answer, or the error that Slack's client shows. */
export type Outcome = Answer | { acked: false; error: string };

/** The message or view in which a person clicks. */
export type Place = { channelId: string; messageTs: string } | { view: View };

/**
 * Action ID of an element or, in a block with one element, the block ID. If several elements match that ID, pass both
 * IDs.
 */
export type ElementId = string | { blockId: string; actionId: string };

/**
 * The option that decides if guests can use apps with the Agents feature. Slack says that they can't:
 * https://docs.slack.dev/ai/developing-agents
 */
export type GuestRule = { readings: Pick<Readings, 'guestsAreOut'> };

export const guestsOut = "Guests can't use apps with the Agents feature.";

export const isShutOut = ({ readings }: GuestRule, { role }: Person): boolean =>
  readings.guestsAreOut && role === 'guest';

export const deniedToGuest: Outcome = { acked: false, error: guestsOut };
