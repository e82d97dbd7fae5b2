import type { Answer } from '../delivery.ts';
import type { View } from '../world.ts';

/** What came of an act: the app's answer, or the words in which Slack's client refuses. */
export type Outcome = Answer | { acked: false; error: string };

/** Where something is clicked. */
export type Place = { channelId: string; messageTs: string } | { view: View };

/** An element: by action id (or the id of a block with one element), or by both where ids repeat. */
export type ElementId = string | { blockId: string; actionId: string };
