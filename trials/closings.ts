import type { LocalWorkspace } from 'slack-stand-in';
import { sleep } from '../src/lib/sleep.ts';
import type { Random } from './random.ts';

export const troubledChannels = ['C04GENERAL1', 'C04ENGINEER', 'C04ALERTS01'] as const;

/** So many of each kind: one for every fifty requests, and several however few there are. */
const countFor = (requests: number) => Math.max(3, Math.round(requests / 50));

/**
 * What people do to channels and messages while others ask: a channel is closed to the app and opened again, a message
 * may not be edited any more, Slack says that there are too many events. As many as the number of requests says, each
 * when a certain number of them has been accepted.
 */
export function createClosings(workspace: LocalWorkspace, random: Random, requests: number) {
  const calm = new AbortController();
  const mended: Promise<void>[] = [];
  const kinds = [closeChannel, closeMessage, sayTooMany];
  const plan = kinds.flatMap((strike) =>
    Array.from({ length: countFor(requests) }, () => ({ strike, at: random.below(requests) })),
  );
  let accepted = 0;

  function closeChannel(): boolean {
    const channelId = random.pick(troubledChannels);
    const name = random.pick(['app_removed_from_channel', 'channel_archived'] as const);
    const openAfterMs = random.between(1_000, 4_000);
    const channel = workspace.channels.find(({ id }) => id === channelId);
    const { userId } = workspace.bot;
    if (!channel?.memberIds.includes(userId) || channel.isArchived) return false;
    mended.push(closeAndOpen());
    return true;

    async function closeAndOpen(): Promise<void> {
      await workspace.faults.inject({ name, channel: channelId });
      await sleep(openAfterMs, calm.signal);
      if (!channel) return;
      channel.isArchived = false;
      if (!channel.memberIds.includes(userId)) channel.memberIds.push(userId);
    }
  }

  /** Another message must take its place. */
  function closeMessage(): boolean {
    const channel = random.pick(troubledChannels);
    const ours = workspace
      .messagesIn(channel)
      .filter(({ botId, blocks }) => botId === workspace.bot.botId && blocks !== undefined);
    const message = ours[random.below(ours.length)];
    if (!message) return false;
    mended.push(workspace.faults.inject({ name: 'edit_window_closed', channel, ts: message.ts }));
    return true;
  }

  function sayTooMany(): boolean {
    mended.push(workspace.faults.inject({ name: 'app_rate_limited' }));
    return true;
  }

  return {
    /** Another request was accepted. What finds nothing to strike now does so at the next one. */
    another(): void {
      accepted += 1;
      for (const each of plan.filter(({ at }) => at < accepted))
        if (each.strike()) plan.splice(plan.indexOf(each), 1);
    },
    /** Opens again what is closed. */
    async end(): Promise<void> {
      calm.abort();
      await Promise.all(mended);
    },
  };
}
