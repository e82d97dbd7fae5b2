import { buttonOf, requestOf, stateOf } from './in-slack.ts';
import type { Done, PeopleParts } from './people.ts';
import type { Act } from './plan.ts';
import { viewOf } from './slack-methods.ts';
import {
  answersUrl,
  type Json,
  type SlackView,
  type Workspace,
  workspaceOf,
} from './slack-world.ts';

type HandsParts = Pick<PeopleParts, 'slack' | 'deliveries'> & {
  done: Done;
  later(ms: number, then: () => void): void;
  again(act: Act, tries: number): void;
};

type Click = { actionId: string; us: Workspace; userId: string | undefined };
type Submitted = (view: SlackView, response: unknown) => void;

const lookMs = 400;
const mostLooks = 8;
const typingMs = 700;
const submitAgainMs = 1_000;
const mostSubmissions = 4;

export const isRefused = (response: unknown): boolean => {
  const said = JSON.stringify(response ?? '');
  return said.includes('⚠️') || said.includes('"errors"');
};

/** Buttons that people press, and forms that they fill in. */
export function createHands({ slack, deliveries, done, later, again }: HandsParts) {
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
      ...{ channel: { id: message.channel, name: 'simulated' }, state: { values: {} } },
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

  /** Waits for the form that the app opens, and submits it; if there is none, does it all again. */
  function fillIn(
    act: Act,
    tries: number,
    { triggerId, us }: { triggerId: string; us: Workspace },
    submitted: Submitted,
    looks = mostLooks,
  ): void {
    later(lookMs, () => {
      const view = slack.viewOf(triggerId);
      if (!view && looks > 0) fillIn(act, tries, { triggerId, us }, submitted, looks - 1);
      else if (!view) again(act, tries);
      // Otherwise it says why not.
      else if (view.view['callback_id']) later(typingMs, () => submit(view, us, submitted));
    });
  }

  function submit(view: SlackView, us: Workspace, submitted: Submitted, count = 1): void {
    const { userId } = view;
    const about = { team_id: us.team, app_installed_team_id: us.team, state: stateOf(view) };
    const body = {
      ...personOf(userId),
      ...{ trigger_id: deliveries.nextId('trigger-'), response_urls: [] },
      view: { ...viewOf(view), ...about },
    };
    const retry = () => {
      if (count < mostSubmissions)
        later(submitAgainMs, () => submit(view, us, submitted, count + 1));
    };
    deliveries.submit(`${userId} submits ${view.id}`, body, {
      acknowledged: (response) => {
        submitted(view, response);
        if (isRefused(response)) retry();
        else view.isOpen = false;
      },
      failed: () => {
        submitted(view, { errors: 'no answer' });
        retry();
      },
    });
  }

  function publish(act: Act, tries: number, { us, userId }: Omit<Click, 'actionId'>): void {
    const nothing = () => undefined;
    const to = { acknowledged: nothing, failed: nothing };
    const pressed = press({ actionId: 'pull-request:create', us, userId }, act.run, to);
    if (!pressed) {
      again(act, tries);
      return;
    }
    const { triggerId, requestId } = pressed;
    fillIn(act, tries, { triggerId, us }, (_, response) =>
      done.publishes.push({ requestId, isAccepted: !isRefused(response) }),
    );
  }

  return { click, fillIn, publish };
}

/** `team` is the person's, which is another one in shared channels. */
function personOf(userId: string): Json {
  const team = workspaceOf(userId)?.team;
  const user = { id: userId, username: 'simulated', name: 'simulated', team_id: team };
  return { user, team: { id: team } };
}
