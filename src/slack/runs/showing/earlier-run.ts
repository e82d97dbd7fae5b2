/** Links a repeated run to the earlier one. */
import type { RequestOrigin } from '../../../requests/origin.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { ReadMessageLink } from '../../posting/source-message.ts';
import { link, safeUrl } from '../../text/links.ts';

/** The source of a repeated run's values, unless they were changed. */
export const earlierRun = 'from the earlier run';

type Again = NonNullable<RequestOrigin['again']>;

/**
 * Adds a link to the earlier run's message or, without one, its session.
 * @param before the earlier request, if the run was started here
 */
export async function linkEarlierRun(
  readMessageLink: ReadMessageLink,
  again: Again,
  before: RunRequest | undefined,
): Promise<Again> {
  const url =
    again.link ?? (before && (await readMessageLink(before))) ?? safeUrl(before?.run?.session_link);
  return { ...again, ...(url && { link: url }) };
}

export const earlierRunText = (again: Again): string =>
  `repeats ${link(again.link, 'an earlier run') || 'an earlier run'}`;
