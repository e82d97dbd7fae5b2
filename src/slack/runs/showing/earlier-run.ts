/** Links a repeated run to the earlier one. */
import type { RequestOrigin } from '../../../requests/origin.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { ReadMessageLink } from '../../posting/source-message.ts';
import { link, safeUrl } from '../../text/escape-text.ts';

/** The source of a repeated run's values, unless they were changed. */
export const earlierRun = 'from the earlier run';

type Again = NonNullable<RequestOrigin['again']>;

/**
 * Adds a link to the earlier run's message or, without one, its session: only where the people who read it see that too.
 * @param again with the session of a run that was started outside Slack, which guests in a channel don't see
 * @param before the earlier request, if the run was started here
 * @param channelId of the new run
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
