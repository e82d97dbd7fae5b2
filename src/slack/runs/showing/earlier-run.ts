import type { RequestOrigin } from '../../../requests/origin.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { ReadMessageLink } from '../../posting/source-message.ts';
import { link, safeUrl } from '../../text/escape-text.ts';

/** Origin of values that a repeated run takes from the earlier one. */
export const earlierRun = 'from the earlier run';

type Again = NonNullable<RequestOrigin['again']>;

/**
 * Adds a link to the earlier run's message or else to its session. Everyone who reads the new run must be able to see
 * the target.
 * @param again data about the earlier run; its session link is dropped in channels, because guests there can't see the
 * session
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
