import { buttonInView, buttonOf, requestOf, stateOf } from './in-slack.ts';
import type { Done, PeopleDeps } from './people.ts';
import type { Act } from './plan.ts';
import { viewOf } from './slack-methods.ts';
import {
  answersUrl,
  type Json,
  type SlackView,
  type Workspace,
  workspaceOf,
} from './slack-world.ts';

type HandsDeps = Pick<PeopleDeps, 'slack' | 'deliveries'> & {
  done: Done;
  later(ms: number, then: () => void): void;
  again(act: Act, tries: number): void;
  now(): number;
};

type Click = { actionId: string; us: Workspace; userId: string | undefined };
type Submitted = (view: SlackView, response: unknown) => void;

const nothing = () => undefined;
const pollEveryMs = 400;
const mostLooks = 8;
const typingMs = 700;
const submitAgainMs = 1_000;
const mostSubmissions = 4;

export const isRejected = (response: unknown): boolean => {
  const said = JSON.stringify(response ?? '');
  return said.includes('⚠️') || said.includes('"errors"');
};

/** Selects buttons and fills in forms, for people. */
export function createHands({ slack, deliveries, done, later, again, now }: HandsDeps) {
  function press(
    { actionId, us, userId = us.people[0] }: Click,
    run: number,
    to: { acknowledged(): void; failed(): void },
  ) {
    const found = buttonOf(slack, run, actionId);
    if (!found) return undefined;
    const { message, button, blockId } = found;
    const triggerId = deliveries.nextId('trigger-');
    slack.allowForm(triggerId, userId);
    const body = {
      ...personOf(userId),
      trigger_id: triggerId,
      channel: { id: message.channel, name: 'simulated' },
      state: { values: {} },
      container: { type: 'message', message_ts: message.ts, channel_id: message.channel },
      message: { ts: message.ts, text: message.text, team: us.team, user: us.bot.userId },
      response_url: answersUrl + userId,
      actions: [{ ...button, block_id: blockId, action_ts: slack.nextTs() }],
    };
    deliveries.click(`${userId} clicks ${actionId} of run ${run}`, body, to);
    return { triggerId, requestId: requestOf(message) };
  }

  function click(act: Act, tries: number, click: Click): void {
    const pressed = press(click, act.run, {
      acknowledged: () => {
        if (act.type === 'cancel' && act.person === 0 && pressed)
          done.cancels.push({ requestId: pressed.requestId });
      },
      failed: () => again(act, tries),
    });
    if (!pressed) again(act, tries);
  }

  /** Waits until the app opens a view. If it doesn't, does everything again. */
  function whenOpen(
    act: Act,
    tries: number,
    triggerId: string,
    then: (view: SlackView) => void,
    looks = mostLooks,
  ): void {
    later(pollEveryMs, () => {
      const view = slack.viewOf(triggerId);
      if (view) then(view);
      else if (looks > 0) whenOpen(act, tries, triggerId, then, looks - 1);
      else again(act, tries);
    });
  }

  /** Submits the form that the app opens. */
  function fillIn(
    act: Act,
    tries: number,
    { triggerId, us }: { triggerId: string; us: Workspace },
    submitted: Submitted,
  ): void {
    whenOpen(act, tries, triggerId, (view) => {
      // Don't submit other views, because they explain why there's no form.
      if (view.view['callback_id']) later(typingMs, () => submit(view, us, submitted));
    });
  }

  function submit(view: SlackView, us: Workspace, submitted: Submitted, count = 1): void {
    const { userId } = view;
    const about = { team_id: us.team, app_installed_team_id: us.team, state: stateOf(view) };
    const body = {
      ...personOf(userId),
      trigger_id: deliveries.nextId('trigger-'),
      response_urls: [],
      view: { ...viewOf(view), ...about },
    };
    const retry = () => {
      if (count < mostSubmissions)
        later(submitAgainMs, () => submit(view, us, submitted, count + 1));
    };
    deliveries.submit(`${userId} submits ${view.id}`, body, {
      acknowledged: (response) => {
        submitted(view, response);
        if (isRejected(response)) retry();
        else view.isOpen = false;
      },
      failed: () => {
        submitted(view, { errors: 'no answer' });
        retry();
      },
    });
  }

  function publish(act: Act, tries: number, { us, userId }: Omit<Click, 'actionId'>): void {
    const to = { acknowledged: nothing, failed: nothing };
    const pressed = press({ actionId: 'pull-request:create', us, userId }, act.run, to);
    if (!pressed) {
      again(act, tries);
      return;
    }
    const { triggerId, requestId } = pressed;
    fillIn(act, tries, { triggerId, us }, (_, response) =>
      done.publishes.push({ requestId, isAccepted: !isRejected(response) }),
    );
  }

  /** Selects a button for the pull request in *Details*. */
  function changePullRequest(
    act: Act,
    tries: number,
    { us, userId }: Omit<Click, 'actionId'>,
  ): void {
    const to = { acknowledged: nothing, failed: nothing };
    const pressed = press({ actionId: 'run:details', us, userId }, act.run, to);
    if (!pressed) {
      again(act, tries);
      return;
    }
    const { requestId } = pressed;
    whenOpen(act, tries, pressed.triggerId, (view) => {
      const found = buttonInView(view, 'pull-request:');
      if (!found) {
        if (!JSON.stringify(view.view).includes('merged')) again(act, tries);
        return;
      }
      const triggerId = deliveries.nextId('trigger-');
      slack.allowForm(triggerId, view.userId);
      const { button, blockId } = found;
      const body = {
        ...personOf(view.userId),
        trigger_id: triggerId,
        container: { type: 'view', view_id: view.id },
        view: { ...viewOf(view), type: 'modal', team_id: us.team },
        actions: [{ ...button, block_id: blockId, action_ts: slack.nextTs() }],
      };
      const action = String(button['action_id']);
      const change = { requestId, action, triggerId, userId: view.userId, atMs: now() };
      deliveries.click(`${view.userId} clicks ${action} of run ${act.run}`, body, {
        acknowledged: () => void done.changes.push(change),
        failed: () => again(act, tries),
      });
    });
  }

  return { click, fillIn, publish, changePullRequest };
}

/** Returns a person for a payload. `team` is their own, which is another one in shared channels. */
function personOf(userId: string): Json {
  const team = workspaceOf(userId)?.team;
  const user = { id: userId, username: 'simulated', name: 'simulated', team_id: team };
  return { user, team: { id: team } };
}
