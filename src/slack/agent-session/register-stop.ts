import { fingerprint } from 'base/fingerprint';
import { z } from 'zod';
import type { Inbox } from '../../inbox/inbox.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { PostPrivately } from '../posting/post-privately.ts';
import { type CancelDeps, requestCancel } from '../runs/acting/cancel-run.ts';
import { sessionId } from '../runs/agent-session.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';

type StopDeps = {
  inbox: Pick<Inbox, 'register'>;
  requests: CancelDeps['requests'] & Pick<Requests, 'liveInThread'>;
  outbox: Pick<Outbox, 'showAgain'>;
  access: Pick<RunAccess, 'command'>;
  postPrivately: PostPrivately;
  teamId: string;
  wake(): void;
};

const deliverySchema = z.looseObject({
  type: z.literal('event_callback'),
  event_id: z.string(),
  event: z.looseObject({
    type: z.literal('agent_session_stopped'),
    channel: z.string(),
    user: z.string(),
    thread_ts: z.string(),
  }),
});

const stopSchema = z.object({
  eventId: z.string(),
  teamId: z.string(),
  channelId: z.string(),
  threadTs: z.string(),
  userId: z.string(),
});
type Stop = z.infer<typeof stopSchema>;

/** Registers Slack's own Stop button. It cancels the runs of the thread that the person is allowed to cancel. */
export function registerStop(app: Listeners, deps: StopDeps): void {
  const { inbox, requests, outbox, access, postPrivately, wake } = deps;
  const stops = inbox.register('stop', { schema: stopSchema, handle: stop });
  app.takeEvents(['agent_session_stopped'], async (body) => {
    const { data } = deliverySchema.safeParse(body);
    if (!data) return;
    const { channel: channelId, user: userId, thread_ts: threadTs } = data.event;
    const { event_id: eventId } = data;
    await stops.add(eventId, { eventId, teamId: deps.teamId, channelId, threadTs, userId });
  });

  /** Cancels each active run of the thread. Safe to repeat, because a run is canceled once. */
  async function stop({ eventId, teamId, channelId, threadTs, userId }: Stop): Promise<'done'> {
    const live = await requests.liveInThread(teamId, { channelId, threadTs });
    const viewer = { teamId, userId, conversationId: channelId };
    const denials = new Set<string>();
    for (const { id } of live) {
      const found = await access.command(viewer, id);
      if ('sentence' in found) denials.add(found.sentence);
      else await requestCancel(deps, found.request, userId);
    }
    if (live.length > 0 && denials.size === 0) return 'done';
    // Set the app's status again, because Slack shows the session as stopped until then.
    if (await outbox.showAgain(sessionId(teamId, { channelId, ts: threadTs }))) wake();
    for (const text of denials)
      await postPrivately(`${eventId} ${fingerprint({ text })}`, {
        channelId,
        threadTs,
        userId,
        text,
      });
    return 'done';
  }
}
