import type { Answer } from '../deliveries/delivery.ts';
import type { View } from '../world/world.ts';

/** The app's answer, or the error that Slack's client shows. */
export type Outcome = Answer | { acked: false; error: string };

/** Where something is clicked. */
export type Place = { channelId: string; messageTs: string } | { view: View };

/** An element: by action id, by the id of a block with one element, or by both if ids repeat. */
export type ElementId = string | { blockId: string; actionId: string };
