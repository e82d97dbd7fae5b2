import type { RunRequest } from '../../../store/requests/request-row.ts';
import { boldTitle } from '../../runs/showing/run-label.ts';
import { escapeText, link } from '../../text/escape-text.ts';

/** Links the channel to a run in a thread. It names no state, because it's never updated, and has no mentions. */
export function renderPointer(request: RunRequest, permalink: string, askedBy: string): string {
  const open = link(permalink, 'Open thread');
  return `🧵 ${boldTitle(request.title)}: agent run in a thread, shared by ${escapeText(askedBy, 100)}. ${open}`;
}

/** For the person who asked, when Slack refuses the post in the channel. */
export const renderPointerFailure = (request: RunRequest): string =>
  `⚠️ Couldn't show ${boldTitle(request.title)} in <#${request.channelId}>: the app can't post there. The run stays in its thread.`;
