import type { RequestOrigin } from '../../../requests/origin.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { ReadMessageLink } from '../../posting/source-message.ts';
import { link, safeUrl } from '../../text/escape-text.ts';

/** Origin of values that a repeated run takes from the earlier one. */
export const earlierRun = 'from the earlier run';

type Again = NonNullable<RequestOrigin['again']>;

/**
 * Adds a link to the earlier run's message or else its session, if everyone who reads the new run can see it.
 * @param again has the session of a run that wasn't started in Slack, which guests in a channel can't see
 * @param before the earlier request, if that run was started here
 * @param channelId channel of the new run
 */
export async function linkEarlierRun(
  readMessageLink: ReadMessageLink,
  { link: outside, ...again }: Again,
  before: RunRequest | undefined,
  channelId: string,
): Promise<Again> {
  const session = before?.channelId === channelId ? before.run?.session_link : undefined;
  const shown = channelId.startsWith('D') ? outside : undefined;
  const url = shown ?? (before && (await readMessageLink(before))) ?? safeUrl(session);
  return { ...again, ...(url && { link: url }) };
}

export const earlierRunText = (again: Again): string =>
  `repeats ${link(again.link, 'an earlier run') || 'an earlier run'}`;
