import type { BlockAction, ButtonAction, RespondFn } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { RequestMarks } from '../../store/request-marks.ts';
import type { RunRequest } from '../../store/request-row.ts';
import type { RequestWatchers } from '../../store/request-watchers.ts';
import type { Requests } from '../../store/requests.ts';
import type { Settings } from '../../store/settings.ts';
import { acknowledgeAfter } from '../connection/acknowledge-in-time.ts';
import type { Listeners } from '../connection/listeners.ts';
import { whyNotChange } from '../people/why-not-change.ts';
import { tell, unknownRun } from '../posting/answer-privately.ts';
import { askToCancel } from '../runs/cancel-run.ts';
import { cancelAction, openSessionAction } from '../runs/run-buttons.ts';
import { actions, section } from '../text/blocks.ts';
import { messageActions, renderNotifyAnswer } from './message-buttons.ts';

type RunMessageParts = {
  requests: Pick<Requests, 'tryAgain' | 'find'>;
  marks: RequestMarks;
  watchers: Pick<RequestWatchers, 'set'>;
  settings: Pick<Settings, 'read'>;
  wake(): void;
};

type Click = {
  request: RunRequest;
  userId: string;
  body: BlockAction;
  client: WebClient;
  respond: RespondFn;
};

/** The buttons of the run message. A click is acknowledged when what it asks for is stored; the follower does it. */
export function registerRunMessage(app: Listeners, parts: RunMessageParts): void {
  const { requests, marks, watchers, wake } = parts;
  // A link button still sends an action, which Slack wants acknowledged.
  app.action(openSessionAction, ({ ack }) => ack());
  app.action(messageActions.connect, ({ ack }) => ack());

  on(messageActions.tryAgain, async ({ request }) => {
    if (await requests.tryAgain(request.id)) wake();
  });

  on(cancelAction, async (click) => {
    if (await refuse(click)) return;
    const text = await askToCancel(parts, click.request, click.userId);
    // A modal hides the message.
    const isInView = click.body.view !== undefined;
    if (text || isInView) await tell(click, { text: text ?? canceling });
  });

  on(messageActions.notify, (click) => setNotify(click, true));
  on(messageActions.doNotNotify, (click) => setNotify(click, false));

  on(messageActions.stopFollowing, async (click) => {
    if (await refuse(click)) return;
    if (await marks.unfollow(click.request.id, Date.now())) wake();
  });

  on(messageActions.followAgain, async ({ request: { id, step } }) => {
    const { lookAgain, followAgain } = marks;
    if (await (step === 'ended' ? lookAgain : followAgain)(id, Date.now())) wake();
  });

  on(messageActions.showInChannel, async (click) => {
    const isFirst = await marks.askPointer(click.request.id, click.userId, Date.now());
    if (isFirst) wake();
    else await tell(click, { text: askedToShow });
  });

  function on(actionId: string, act: (click: Click) => Promise<void>): void {
    const filter = { type: 'block_actions', action_id: actionId } as const;
    app.action<BlockAction<ButtonAction>>(filter, async (args) => {
      const { ack, body, client, respond, action } = args;
      const work = async () => {
        const request = action.value ? await requests.find(action.value) : undefined;
        if (request) await act({ request, userId: body.user.id, body, client, respond });
        else await tell({ body, client, respond }, { text: unknownRun });
      };
      await acknowledgeAfter(work, ack);
    });
  }

  async function refuse(click: Click): Promise<boolean> {
    const text = await whyNotChange({ ...parts, ...click }, click.request, click.userId);
    if (text) await tell(click, { text });
    return text !== undefined;
  }

  async function setNotify(click: Click, wants: boolean): Promise<void> {
    await watchers.set(click.request.id, click.userId, wants);
    const { text, back } = renderNotifyAnswer(click.request.id, wants);
    await tell(click, { text, blocks: [section(text), actions([back])] });
  }
}

const askedToShow =
  'That has already been asked for: a message in the channel leads to this run, or will in a moment.';

const canceling = 'Canceling this run. Its message shows when it has ended.';
