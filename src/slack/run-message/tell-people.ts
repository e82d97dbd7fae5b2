import type { WebClient } from '@slack/web-api';
import { nudgeAt, readLength } from '../../following/expected-times.ts';
import { endRound } from '../../following/progress.ts';
import type { DueAt } from '../../lib/leased-work.ts';
import type { Later } from '../../outbox/outcomes.ts';
import type { TrackedPost } from '../../outbox/track-post.ts';
import type { RunLengths } from '../../store/following/run-lengths.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { markEnd } from './mark-source.ts';
import { readMessageContent } from './message-content.ts';
import { type PlanParts, planEnd, planNudge } from './plan-notices.ts';

export type TellParts = PlanParts & {
  client: Pick<WebClient, 'reactions'>;
  outbox: Pick<Outbox, 'planUnder'>;
  lengths: Pick<RunLengths, 'note'>;
};

/**
 * Plans the notices for the state that the run message shows. Who gets them is decided once, so that later changes of
 * settings cause no second reply.
 */
export async function tellPeople(
  parts: TellParts,
  request: RunRequest,
  tracked: TrackedPost,
): Promise<Later | { outcome: 'planned'; dueAt: DueAt }> {
  const content = readMessageContent(tracked.post.content);
  const { planned } = content;
  const end = endRound(request);
  const name = end ?? 'nudge';
  if (planned.includes(name)) return nothing;
  if (end === undefined) {
    const at = nudgeAt(request);
    if (at === null || at > Date.now()) return { outcome: 'planned', dueAt: at };
  } else {
    await markEnd(parts.client, request);
    const length = readLength(request);
    if (length) await parts.lengths.note(length);
  }
  const plan = end === undefined ? planNudge : planEnd;
  const told = await plan(parts, request, tracked.post.place);
  if (told.outcome === 'later') return told;
  const changed = { content: { ...content, planned: [...planned, name] } };
  await tracked.record(changed, (lease, changes) =>
    parts.outbox.planUnder(lease, changes, told.posts),
  );
  return nothing;
}

const nothing = { outcome: 'planned', dueAt: null } as const;
