import type { RunRequest } from '../../store/request-row.ts';
import { boldTitle } from '../runs/run-title.ts';
import { escapeText, link } from '../text/blocks.ts';

/**
 * A message in the channel that leads to a run in one of its threads. It says no state, since it is never changed; and
 * it mentions nobody.
 */
export function renderPointer(request: RunRequest, permalink: string, askedBy: string): string {
  const way = link(permalink, 'See how it goes');
  return `🧵 ${boldTitle(request.title)} is an agent run in a thread here. ${way}\nShown here for ${escapeText(askedBy, 100)}.`;
}

/** For who asked, where the channel did not take it. */
export const renderNoPointer = (request: RunRequest): string =>
  `⚠️ I could not show ${boldTitle(request.title)} in <#${request.channelId}>: Slack does not let me post there. The run message stays in its thread.`;
