/** What a repeated run has of the one before it. */
import type { RequestOrigin } from '../../store/request-origin.ts';
import type { RunRequest } from '../../store/request-row.ts';
import { type Asked, describeChanges } from '../configuration/describe-changes.ts';
import { type ReadPermalink, readRunMessageLink } from '../posting/source-message.ts';
import { safeUrl } from '../text/blocks.ts';

/** Where the values of a repeated run come from, unless they were changed. */
export const earlierRun = 'the earlier run';

type Again = NonNullable<RequestOrigin['again']>;

/**
 * The earlier run, with a link to its message or else to its session, and what the new one changes.
 * @param before the earlier request, where there is one
 * @param earlier what was asked for then, where that is known
 */
export async function readLineage(
  readPermalink: ReadPermalink,
  again: Again,
  {
    before,
    earlier,
    now,
  }: { before?: RunRequest | undefined; earlier?: Asked | undefined; now: Asked },
): Promise<Again> {
  const link = again.link ?? (before && (await linkTo(readPermalink, before)));
  return {
    ...again,
    ...(earlier && { changes: describeChanges(earlier, now) }),
    ...(link && { link }),
  };
}

async function linkTo(
  readPermalink: ReadPermalink,
  request: RunRequest,
): Promise<string | undefined> {
  return (await readRunMessageLink(readPermalink, request)) ?? safeUrl(request.run?.session_link);
}
