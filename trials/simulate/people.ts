import type { Deliveries } from './deliveries.ts';
import type { Act } from './plan.ts';
import type { Scheduler } from './scheduler.ts';
import type { SlackModel } from './slack-model.ts';
import { bot, channels, people, type SlackMessage, team } from './slack-world.ts';

type Json = Record<string, unknown>;

type PeopleParts = {
  scheduler: Scheduler;
  slack: SlackModel;
  deliveries: Deliveries;
  log(line: string): void;
};

/** What people did that the app said yes to. */
export type Done = {
  starts: { requestId: string; run: number; response: unknown }[];
  mentions: { requestId: string; userId: string; atMs: number }[];
  cancels: { requestId: string }[];
  followUps: { text: string; channel: string; userId: string; atMs: number }[];
};

type StartAct = Extract<Act, { fate: unknown }>;

const againMs = 1_500;
const mostTries = 6;

/** People who use the app. They look at Slack, and try again if the app didn't answer. */
export function createPeople({ scheduler, slack, deliveries, log }: PeopleParts) {
  const done: Done = { starts: [], mentions: [], cancels: [], followUps: [] };
  let busy = 0;

  const personAt = (index: number) => people[index % people.length] ?? people[0];
  const channelAt = (index: number) => channels[index % channels.length] ?? channels[0];
  const again = (act: Act, tries: number) => {
    if (tries >= mostTries) return;
    busy += 1;
    scheduler.in(againMs, undefined, () => {
      busy -= 1;
      perform(act, tries + 1);
    });
  };

  function perform(act: Act, tries = 1): void {
    switch (act.type) {
      case 'start':
        start(act, tries);
        break;
      case 'mention':
        mention(act);
        break;
      case 'stop':
      case 'follow-up':
        write(act, tries);
        break;
      case 'cancel':
        click(act, tries, 'run:cancel', act.person);
        break;
      case 'answer':
        click(act, tries, `question:option:${act.option}`, act.person);
        break;
    }
  }

  function start(act: StartAct, tries: number): void {
    const triggerId = deliveries.nextId('trigger-');
    const body = {
      ...{ channel_id: channelAt(act.channel), channel_name: 'simulated', user_id: people[0] },
      ...{ user_name: 'simulated', text: `run ${promptOf(act.run)}`, trigger_id: triggerId },
      response_url: 'https://hooks.slack.test/answer',
    };
    deliveries.command(`"/agent run ${promptOf(act.run)}" (${triggerId})`, body, {
      acknowledged: (response) =>
        done.starts.push({ requestId: `${team}-${triggerId}`, run: act.run, response }),
      failed: () => again(act, tries),
    });
  }

  function mention({ channel: index, run }: StartAct): void {
    const text = `<@${bot.userId}> ${promptOf(run)}`;
    const channel = channelAt(index);
    const { ts } = slack.write({ channel, userId: people[0], text });
    const event = { type: 'app_mention', user: people[0], text, ts, channel, event_ts: ts };
    const eventId = deliveries.nextId('Ev');
    const atMs = scheduler.sinceStartMs;
    deliveries.event(`mention "${promptOf(run)}"`, event, eventId, () =>
      done.mentions.push({ requestId: `${team}-${eventId}`, userId: people[0], atMs }),
    );
  }

  /** In the thread of the run's message. */
  function write(act: Extract<Act, { type: 'stop' | 'follow-up' }>, tries: number): void {
    const message = runMessageOf(slack, act.run);
    if (!message) {
      again(act, tries);
      return;
    }
    const { channel, ts: thread_ts } = message;
    const user = people[0];
    if (act.type === 'stop') {
      const event = { type: 'agent_session_stopped', channel, user, thread_ts };
      const more = { streaming_message_ts: [], event_ts: slack.nextTs() };
      const title = `Stop of run ${act.run}`;
      deliveries.event(title, { ...event, ...more }, deliveries.nextId('Ev'));
      return;
    }
    const text = `<@${bot.userId}> and mind case ${deliveries.nextId('')}`;
    const { ts } = slack.write({ channel, userId: user, text, threadTs: thread_ts });
    const event = { type: 'app_mention', user, text, ts, channel, thread_ts, event_ts: ts };
    const atMs = scheduler.sinceStartMs;
    deliveries.event(`follow-up to run ${act.run}`, event, deliveries.nextId('Ev'), () =>
      done.followUps.push({ text, channel, userId: user, atMs }),
    );
  }

  function click(act: Act, tries: number, actionId: string, person: number): void {
    const found = buttonOf(slack, act.run, actionId);
    if (!found) {
      again(act, tries);
      return;
    }
    const { message, button, blockId } = found;
    const user = personAt(person);
    const body = {
      user: { id: user, username: 'simulated', name: 'simulated', team_id: team },
      trigger_id: deliveries.nextId('trigger-'),
      ...{ channel: { id: message.channel, name: 'simulated' }, state: { values: {} } },
      container: { type: 'message', message_ts: message.ts, channel_id: message.channel },
      message: { ts: message.ts, text: message.text, team, user: bot.userId },
      response_url: 'https://hooks.slack.test/answer',
      actions: [{ ...button, block_id: blockId, action_ts: slack.nextTs() }],
    };
    deliveries.click(`${user} clicks ${actionId} of run ${act.run}`, body, {
      acknowledged: () => {
        if (act.type === 'cancel' && act.person === 0)
          done.cancels.push({ requestId: requestOf(message) });
      },
      failed: () => again(act, tries),
    });
  }

  return {
    done,
    isBusy: () => busy > 0,
    plan(acts: readonly Act[]): void {
      busy += acts.length;
      for (const act of acts)
        scheduler.in(act.atMs, undefined, () => {
          busy -= 1;
          log(`act: ${act.type} of run ${act.run}`);
          perform(act);
        });
    },
  };
}

const promptOf = (run: number) => `fix case ${run} of the secret plan`;

export const runOf = (prompt: string): number => Number(/fix case (\d+)/.exec(prompt)?.[1] ?? -1);

const requestOf = ({ metadata }: SlackMessage): string =>
  String(metadata?.event_payload['request_id'] ?? '');

/** The newest run message of a run that can be seen. */
const runMessageOf = (slack: SlackModel, run: number) =>
  slack.messages.findLast(
    (each) =>
      each.metadata?.event_type === 'slash_agent_run' &&
      !each.isDeleted &&
      JSON.stringify(each.blocks).includes(promptOf(run)),
  );

function buttonOf(slack: SlackModel, run: number, actionId: string) {
  const runMessage = runMessageOf(slack, run);
  const inThread = ({ channel, threadTs, ts, isDeleted }: SlackMessage) =>
    !isDeleted &&
    channel === runMessage?.channel &&
    (ts === runMessage.ts || threadTs === runMessage.ts);
  for (const message of slack.messages.filter(inThread).toReversed())
    for (const block of message.blocks)
      for (const element of (block['elements'] ?? []) as Json[])
        if (element['action_id'] === actionId)
          return { message, button: element, blockId: block['block_id'] };
  return undefined;
}
