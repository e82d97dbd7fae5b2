import {
  type CancelOutcome,
  canceledBeforeStart,
  isCancelRefused,
} from '../../../requests/cancel.ts';
import { liveSteps } from '../../../requests/steps.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { readRunTimes } from '../../runs/showing/run-times.ts';
import { durationText, time } from '../../text/dates.ts';

/** What people have asked for, and how that goes. */
export function renderAttention(request: RunRequest): string[] {
  const { step, unfollowedAt } = request;
  if (!liveSteps.includes(step)) return renderSearch(request);
  return [
    ...renderCancel(request),
    ...(unfollowedAt === null
      ? []
      : [
          `This message hasn't been updated since ${time(unfollowedAt)}. The run may still continue.`,
        ]),
  ];
}

const refusals: Record<Exclude<CancelOutcome, 'accepted'>, string> = {
  already_ended: 'the runs service says it already ended.',
  not_cancelable: "the runs service can't cancel this kind of run. The run continues.",
  not_offered: "this runs service doesn't support canceling. The run continues.",
  forbidden: "the app's API key isn't allowed to cancel runs. The run continues.",
  refused: 'the runs service refused. The run continues.',
};

function renderCancel({ cancelAskedAt, cancelAskedBy, cancelOutcome }: RunRequest): string[] {
  if (cancelAskedAt === null) return [];
  if (cancelOutcome === null || cancelOutcome === 'accepted')
    return [`Canceling: <@${cancelAskedBy}> asked for it.`];
  // A newer version may have stored an outcome of its own.
  return [`Couldn't cancel: ${refusals[cancelOutcome] ?? refusals.refused}`];
}

/** What came of *Follow again* for a run that its service didn't know. */
function renderSearch({ missingSince, lookAt, followedSince }: RunRequest): string[] {
  if (missingSince === null || followedSince === null) return [];
  return lookAt === null
    ? [`Checked ${time(followedSince)}: the runs service still doesn't know this run.`]
    : ['Checking whether the runs service knows this run again.'];
}

/**
 * ` in 2 min` behind the state of a run that has ended, for a canceled one ` by @ada after 2 min`. `shown` writes a
 * person: a mention in a new message would call them.
 */
export function howItEnded(request: RunRequest, shown = (id: string) => `<@${id}>`): string {
  const { run, cancelAskedBy, cancelOutcome, problem } = request;
  const { tookMs } = readRunTimes(request);
  const took = tookMs === undefined ? '' : durationText(tookMs);
  const isBeforeStart = problem?.code === canceledBeforeStart;
  if (run?.state !== 'CANCELLED' && !isBeforeStart) return took && ` in ${took}`;
  // "Already ended" may be the answer to our own second try.
  const isOurs = !isCancelRefused(cancelOutcome) || cancelOutcome === 'already_ended';
  const who = cancelAskedBy !== null && isOurs ? `by ${shown(cancelAskedBy)}` : 'outside of Slack';
  if (isBeforeStart) return ` ${who} before it started`;
  return ` ${who}${took && ` after ${took}`}`;
}
