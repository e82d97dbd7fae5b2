import type { Deliveries } from './deliveries.ts';
import { createHands } from './hands.ts';
import { promptOf, runMessageOf } from './in-slack.ts';
import type { Act } from './plan.ts';
import type { RunsModel } from './runs-model.ts';
import type { Scheduler } from './scheduler.ts';
import type { SlackModel } from './slack-model.ts';
import { answersUrl, otherThan, type Workspace, workspaceOfRun } from './slack-world.ts';
import { createWriting, type Edited, type ThreadAct, type Written } from './writing.ts';

export type PeopleDeps = {
  scheduler: Scheduler;
  slack: SlackModel;
  runs: RunsModel;
  deliveries: Deliveries;
  workspaces: number;
  log(line: string): void;
};

/** Acts of people that the app acknowledged. */
export type Done = {
  starts: { requestId: string; userId: string; atMs: number; response: unknown }[];
  mentions: { requestId: string; prompt: string; userId: string; atMs: number }[];
  cancels: { requestId: string }[];
  followUps: Written[];
  edits: Edited[];
  /** Submitted forms, each with the app's answer. */
  publishes: { requestId: string; isAccepted: boolean }[];
  /** Clicks on buttons that change a pull request. */
  changes: {
    requestId: string;
    action: string;
    triggerId: string;
    userId: string;
    atMs: number;
  }[];
};

type StartAct = Extract<Act, { fate: unknown }>;

const againMs = 1_000;
const mostTries = 6;

/** Simulates people who use the app. They read Slack, and try again if the app didn't answer. */
export function createPeople(parts: PeopleDeps) {
  const { scheduler, slack, runs, deliveries, log } = parts;
  const done: Done = {
    starts: [],
    mentions: [],
    cancels: [],
    followUps: [],
    edits: [],
    publishes: [],
    changes: [],
  };
  let busy = 0;

  const homeOf = ({ run }: Act): Workspace => workspaceOfRun(run, parts.workspaces);
  function later(ms: number, then: () => void): void {
    busy += 1;
    scheduler.in(ms, undefined, () => {
      busy -= 1;
      then();
    });
  }
  const again = (act: Act, tries: number) => {
    if (tries < mostTries) later(againMs, () => perform(act, tries + 1));
  };
  const now = () => scheduler.sinceStartMs;
  const hands = createHands({ ...parts, done, later, again, now });
  const writing = createWriting({ ...parts, done, again });

  function perform(act: Act, tries = 1): void {
    const us = homeOf(act);
    const userId = 'person' in act ? us.people[act.person] : us.people[0];
    switch (act.type) {
      case 'start':
        start(act, us, tries);
        break;
      case 'form':
        openForm(act, us, tries);
        break;
      case 'mention':
        mention(act, us);
        break;
      case 'stop':
        stop(act, us, tries);
        break;
      case 'follow-up':
      case 'reply':
        writing.write(act, us, tries);
        break;
      case 'edit':
      case 'delete':
        writing.change(act, us, tries);
        break;
      case 'cancel':
        hands.click(act, tries, { actionId: 'run:cancel', us, userId });
        break;
      case 'answer':
        hands.click(act, tries, { actionId: `question:option:${act.option}`, us, userId });
        break;
      case 'publish':
        hands.publish(act, tries, { us, userId });
        break;
      case 'pull request':
        hands.changePullRequest(act, tries, { us, userId });
        break;
      case 'trespass':
        trespass(act, us, tries);
    }
  }

  function command(us: Workspace, userId: string, channel: string, text: string) {
    const triggerId = deliveries.nextId('trigger-');
    slack.allowForm(triggerId, userId);
    const body = {
      team_id: us.team,
      channel_id: channel,
      channel_name: 'simulated',
      user_id: userId,
      user_name: 'simulated',
      text,
      trigger_id: triggerId,
      response_url: answersUrl + userId,
    };
    return { triggerId, body, title: `"/agent ${text}" (${triggerId})` };
  }

  function start(act: StartAct, us: Workspace, tries: number): void {
    const text = `run ${promptOf(act.run)}`;
    const channel = us.channels[act.channel] ?? us.channels[0];
    const { triggerId, body, title } = command(us, us.people[0], channel, text);
    const atMs = scheduler.sinceStartMs;
    const [userId] = us.people;
    deliveries.command(title, body, {
      acknowledged: (response) =>
        done.starts.push({ requestId: `${us.team}-${triggerId}`, userId, atMs, response }),
      failed: () => again(act, tries),
    });
  }

  function openForm(act: StartAct, us: Workspace, tries: number): void {
    const channel = us.channels[act.channel] ?? us.channels[0];
    const { triggerId, body, title } = command(us, us.people[0], channel, promptOf(act.run));
    const nothing = () => undefined;
    deliveries.command(title, body, { acknowledged: nothing, failed: nothing });
    const atMs = scheduler.sinceStartMs;
    hands.fillIn(act, tries, { triggerId, us }, ({ id, userId }, response) =>
      done.starts.push({ requestId: `${us.team}-${id}`, userId, atMs, response }),
    );
  }

  function mention({ channel: index, run }: StartAct, us: Workspace): void {
    const [userId] = us.people;
    const prompt = promptOf(run);
    const text = `<@${us.bot.userId}> ${prompt}`;
    const channel = us.channels[index] ?? us.channels[0];
    const message = slack.write({ channel, userId, text });
    const { ts } = message;
    const about = { user: userId, text, ts };
    writing.note(run, { message, about, words: prompt, isMention: true });
    const event = { type: 'app_mention', ...about, channel, event_ts: ts };
    const atMs = scheduler.sinceStartMs;
    deliveries.event(us, `mention "${prompt}"`, event, () =>
      done.mentions.push({ requestId: `${us.team}-${channel}-${ts}`, prompt, userId, atMs }),
    );
  }

  function stop(act: ThreadAct, us: Workspace, tries: number): void {
    const message = runMessageOf(slack, act.run);
    if (!message) {
      again(act, tries);
      return;
    }
    const { channel, ts } = message;
    const thread_ts = message.threadTs ?? ts;
    const event = { type: 'agent_session_stopped', channel, user: us.people[0], thread_ts };
    const more = { streaming_message_ts: [], event_ts: slack.nextTs() };
    deliveries.event(us, `Stop of run ${act.run}`, { ...event, ...more });
  }

  /**
   * Lets someone of the other workspace try an act. Without the app in their workspace, nobody can type its command.
   */
  function trespass(act: Extract<Act, { type: 'trespass' }>, us: Workspace, tries: number): void {
    const theirs = otherThan(us);
    const [userId] = theirs.people;
    const click = { us, userId };
    if (act.how === 'cancel') hands.click(act, tries, { actionId: 'run:cancel', ...click });
    if (act.how === 'publish') hands.publish(act, tries, click);
    const runId = runs.runs.find(({ prompt }) => prompt.includes(promptOf(act.run)))?.id;
    const isTyped = act.how === 'show' || act.how === 'command';
    if (!isTyped || parts.workspaces === 1 || !runId) return;
    const text = act.how === 'show' ? `show ${runId}` : `cancel ${runId}`;
    const { body, title } = command(theirs, userId, theirs.channels[0], text);
    const nothing = () => undefined;
    deliveries.command(title, body, { acknowledged: nothing, failed: nothing });
  }

  return {
    done,
    isBusy: () => busy > 0,
    plan(acts: readonly Act[]): void {
      for (const act of acts)
        later(act.atMs, () => {
          log(`act: ${act.type} of run ${act.run}`);
          perform(act);
        });
    },
  };
}
