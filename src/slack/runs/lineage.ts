/** Links a repeated run to the earlier one. */
import type { RequestOrigin } from '../../store/requests/request-origin.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { type Asked, describeChanges } from '../configuration/describe-changes.ts';
import { type ReadPermalink, readRunMessageLink } from '../posting/source-message.ts';
import { safeUrl } from '../text/blocks.ts';

/** The source of a repeated run's values, unless they were changed. */
export const earlierRun = 'the earlier run';

type Again = NonNullable<RequestOrigin['again']>;

/**
 * Links to the earlier run's message or, without one, its session, and lists what the new run changes.
 * @param before the earlier request, if the run was started here
 * @param earlier what it asked for, if that is known
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
