import type { BlockAction, ButtonAction, RespondFn } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { RequestMarks } from '../../store/request-marks.ts';
import type { RunRequest } from '../../store/request-row.ts';
import type { RequestWatchers } from '../../store/request-watchers.ts';
import type { Requests } from '../../store/requests.ts';
import type { Listeners } from '../connection/listeners.ts';
import type { Rights } from '../people/rights.ts';
import { tell, unknownRun } from '../posting/answer-privately.ts';
import { type CancelParts, cancelRun } from '../runs/cancel-run.ts';
import { cancelAction, openSessionAction } from '../runs/run-buttons.ts';
import { actions, section } from '../text/blocks.ts';
import { type FollowAgainParts, followAgain } from './follow-again.ts';
import { messageActions, renderNotifyAnswer } from './message-buttons.ts';

type RunMessageParts = CancelParts &
  FollowAgainParts & {
    requests: Pick<Requests, 'tryAgain' | 'find'>;
    runs: CancelParts['runs'] & FollowAgainParts['runs'];
    marks: RequestMarks;
    watchers: Pick<RequestWatchers, 'set'>;
    rights: Pick<Rights, 'refuseCancel'>;
    wake(): void;
  };

type Click = {
  request: RunRequest;
  userId: string;
  body: BlockAction;
  client: WebClient;
  respond: RespondFn;
};

/** The buttons of the run message. */
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
    const text = await cancelRun(parts, click.request, click.userId);
    await showAgain(click.request);
    // In *Details* there is no message that would say it.
    const isInView = click.body.view !== undefined;
    if (text || isInView) await tell(click, { text: text ?? askedToCancel });
  });

  on(messageActions.notify, (click) => setNotify(click, true));
  on(messageActions.doNotNotify, (click) => setNotify(click, false));

  on(messageActions.stopFollowing, async (click) => {
    if (await refuse(click)) return;
    if (await marks.unfollow(click.request.id, Date.now())) await showAgain(click.request);
  });

  on(messageActions.followAgain, async (click) => {
    const text = await followAgain(parts, click.request);
    if (text) await tell(click, { text });
    else await showAgain(click.request);
  });

  on(messageActions.showInChannel, async (click) => {
    const isFirst = await marks.askPointer(click.request.id, click.userId, Date.now());
    if (isFirst) await showAgain(click.request);
    else await tell(click, { text: askedToShow });
  });

  function on(actionId: string, act: (click: Click) => Promise<void>): void {
    const filter = { type: 'block_actions', action_id: actionId } as const;
    app.action<BlockAction<ButtonAction>>(filter, async (args) => {
      await args.ack();
      const { body, client, respond, action } = args;
      const request = action.value ? await requests.find(action.value) : undefined;
      if (request) await act({ request, userId: body.user.id, body, client, respond });
      else await tell({ body, client, respond }, { text: unknownRun });
    });
  }

  async function refuse(click: Click): Promise<boolean> {
    const text = await parts.rights.refuseCancel(click.request, click.userId);
    if (text) await tell(click, { text });
    return text !== undefined;
  }

  async function setNotify(click: Click, wants: boolean): Promise<void> {
    await watchers.set(click.request.id, click.userId, wants);
    const { text, back } = renderNotifyAnswer(click.request.id, wants);
    await tell(click, { text, blocks: [section(text), actions([back])] });
  }

  /** Has the message show what was marked. */
  async function showAgain({ id }: RunRequest): Promise<void> {
    await marks.makeDue(id);
    wake();
  }
}

const askedToShow =
  'That has already been asked for: a message in the channel leads to this run, or will in a moment.';

const askedToCancel =
  'The runs service was asked to cancel the run. Its message says when it has ended.';
