import { sleep } from 'base/sleep';
import type { LocalWorkspace } from 'slack-stand-in';
import type { Random } from './random.ts';

export const troubledChannels = ['C04GENERAL1', 'C04ENGINEER', 'C04ALERTS01'] as const;

/** Returns the number of faults of each kind: one for every fifty requests, at least three. */
const countFor = (requests: number) => Math.max(3, Math.round(requests / 50));

/**
 * Breaks channels and messages: the app loses access to a channel and gets it back, a message can't be edited anymore,
 * or Slack drops events. Each fault strikes once a certain number of requests is accepted.
 */
export function createChannelFaults(workspace: LocalWorkspace, random: Random, requests: number) {
  const calm = new AbortController();
  const repairs: Promise<void>[] = [];
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
    repairs.push(closeAndOpen());
    return true;

    async function closeAndOpen(): Promise<void> {
      await workspace.faults.inject({ name, channel: channelId });
      await sleep(openAfterMs, calm.signal);
      if (!channel) return;
      channel.isArchived = false;
      if (!channel.memberIds.includes(userId)) channel.memberIds.push(userId);
    }
  }

  /** Makes a message uneditable, so that the app must replace it. */
  function closeMessage(): boolean {
    const channel = random.pick(troubledChannels);
    const ours = workspace
      .messagesIn(channel)
      .filter(({ botId, blocks }) => botId === workspace.bot.botId && blocks !== undefined);
    const message = ours[random.below(ours.length)];
    if (!message) return false;
    repairs.push(workspace.faults.inject({ name: 'edit_window_closed', channel, ts: message.ts }));
    return true;
  }

  function sayTooMany(): boolean {
    repairs.push(workspace.faults.inject({ name: 'app_rate_limited' }));
    return true;
  }

  return {
    /** Strikes due faults. Call it for each accepted request. A fault without a target waits for the next one. */
    another(): void {
      accepted += 1;
      for (const each of plan.filter(({ at }) => at < accepted))
        if (each.strike()) plan.splice(plan.indexOf(each), 1);
    },
    /** Restores access to all channels at the end. */
    async end(): Promise<void> {
      calm.abort();
      await Promise.all(repairs);
    },
  };
}
