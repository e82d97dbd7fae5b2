import type { RunRequest } from '../../store/request-row.ts';
import { readRunTimes } from '../runs/run-times.ts';
import { time } from '../text/blocks.ts';
import { durationText } from '../text/duration.ts';

/** What people have asked for while the run goes on. */
export function renderAttention({
  cancelAskedAt,
  cancelAskedBy,
  unfollowedAt,
}: RunRequest): string[] {
  return [
    ...(cancelAskedAt === null ? [] : [`Being cancelled: <@${cancelAskedBy}> asked for it.`]),
    ...(unfollowedAt === null
      ? []
      : [`Not followed since ${time(unfollowedAt)}. The run itself may go on.`]),
  ];
}

/**
 * ` in 2 min` behind the state of a run that has ended, for a cancelled one ` by @ada after 2 min`. `shown` writes a
 * person: a mention in a new message would call them.
 */
export function howItEnded(request: RunRequest, shown = (id: string) => `<@${id}>`): string {
  const { run, cancelAskedBy } = request;
  const { tookMs } = readRunTimes(request);
  const took = tookMs === undefined ? '' : durationText(tookMs);
  if (run?.state !== 'CANCELLED') return took && ` in ${took}`;
  const who = cancelAskedBy === null ? 'outside of Slack' : `by ${shown(cancelAskedBy)}`;
  return ` ${who}${took && ` after ${took}`}`;
}
