import type { BlockAction, ButtonAction, Context, OverflowAction, RespondFn } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { RequestWatchers } from '../../store/requests/request-watchers.ts';
import type { Requests } from '../../store/requests/requests.ts';
import { acknowledgeAfter } from '../connection/acknowledge-in-time.ts';
import type { Listeners } from '../connection/listeners.ts';
import type { Rights } from '../people/rights.ts';
import { answerPrivately, unknownRun } from '../posting/answer-privately.ts';
import { askToCancel } from '../runs/cancel-run.ts';
import { cancelAction, openSessionAction } from '../runs/run-buttons.ts';
import { readMenuPick } from '../runs/run-menu.ts';
import type { RunRef } from '../runs/run-ref.ts';
import { actions, section } from '../text/blocks.ts';
import { type MenuVerb, menuVerbs, messageActions, renderNotifyAnswer } from './message-buttons.ts';
import { newPointer } from './notice-content.ts';

type RunMessageParts = {
  requests: Pick<
    Requests,
    'find' | 'tryAgain' | 'unfollow' | 'followAgain' | 'lookAgain' | 'askCancel'
  >;
  watchers: Pick<RequestWatchers, 'set'>;
  outbox: Pick<Outbox, 'planAndShow'>;
  rights: Pick<Rights, 'refuseCancel' | 'refuseSee' | 'refuseTryAgain'>;
  runAgain: Repeat;
  runWithChanges: Repeat;
  wake(): void;
};

type Click = {
  request: RunRequest;
  userId: string;
  body: BlockAction;
  client: WebClient;
  respond: RespondFn;
};

type Arrived = Omit<Click, 'request' | 'userId'> & { context: Context };

type Repeat = (
  click: Omit<Click, 'request' | 'userId'> & { ref: RunRef; teamId: string; isList: boolean },
) => Promise<void>;

/**
 * The buttons and the menu of the run message. A click is acknowledged when what it asks for is stored; the follower does
 * it.
 */
export function registerRunMessage(app: Listeners, parts: RunMessageParts): void {
  const { requests, watchers, outbox, wake } = parts;
  // Slack wants the click on a link button acknowledged too.
  app.action(openSessionAction, ({ ack }) => ack());
  app.action(messageActions.connect, ({ ack }) => ack());

  on(messageActions.tryAgain, async (click) => {
    const { request, userId } = click;
    const text = await parts.rights.refuseTryAgain(request, userId);
    if (text) await answerPrivately(click, { text });
    else if (await requests.tryAgain(request.id)) wake();
  });

  on(cancelAction, async (click) => {
    if (await refuse(click)) return;
    const text = await askToCancel(parts, click.request, click.userId);
    // A modal hides the message.
    const isInView = click.body.view !== undefined;
    if (text || isInView) await answerPrivately(click, { text: text ?? canceling });
  });

  const notify = forViewers((click) => setNotify(click, true));
  on(messageActions.notify, notify);
  on(messageActions.doNotNotify, (click) => setNotify(click, false));

  on(
    messageActions.followAgain,
    forViewers(async ({ request: { id, step } }) => {
      const { lookAgain, followAgain } = requests;
      if (await (step === 'ended' ? lookAgain : followAgain)(id, Date.now())) wake();
    }),
  );

  const menu: Record<MenuVerb, (click: Click) => Promise<void>> = {
    again: (click) => parts.runAgain(repeatOf(click)),
    change: forViewers((click) => parts.runWithChanges(repeatOf(click))),
    notify,
    stop: stopFollowing,
    show: forViewers(showInChannel),
  };
  const menuFilter = { type: 'block_actions', action_id: messageActions.menu } as const;
  app.action<BlockAction<OverflowAction>>(
    menuFilter,
    async ({ ack, action, body, client, respond, context }) => {
      const pick = readMenuPick(menuVerbs, action.selected_option.value);
      if (!pick || !('requestId' in pick.ref)) return ack();
      const { requestId } = pick.ref;
      await acknowledgeAfter({ ack, context }, () =>
        act({ body, client, respond, context }, requestId, menu[pick.verb]),
      );
    },
  );

  function on(actionId: string, handle: (click: Click) => Promise<void>): void {
    const filter = { type: 'block_actions', action_id: actionId } as const;
    app.action<BlockAction<ButtonAction>>(
      filter,
      async ({ ack, action, body, client, respond, context }) => {
        await acknowledgeAfter({ ack, context }, () =>
          act({ body, client, respond, context }, action.value, handle),
        );
      },
    );
  }

  function forViewers(handle: (click: Click) => Promise<void>): (click: Click) => Promise<void> {
    return async (click) => {
      const { userId, request } = click;
      const text = await parts.rights.refuseSee({ teamId: request.teamId, userId });
      if (text) await answerPrivately(click, { text });
      else await handle(click);
    };
  }

  async function act(
    { body, client, respond, context }: Arrived,
    requestId: string | undefined,
    handle: (click: Click) => Promise<void>,
  ): Promise<void> {
    const request = requestId ? await requests.find(requestId) : undefined;
    if (request && request.teamId === context.teamId)
      await handle({ request, userId: body.user.id, body, client, respond });
    else await answerPrivately({ body, client, respond }, { text: unknownRun });
  }

  async function stopFollowing(click: Click): Promise<void> {
    if (await refuse(click)) return;
    if (await requests.unfollow(click.request.id, Date.now())) wake();
  }

  async function showInChannel(click: Click): Promise<void> {
    const isFirst = await outbox.planAndShow(newPointer(click.request, click.userId));
    if (isFirst) wake();
    else await answerPrivately(click, { text: alreadyShown });
  }

  async function refuse(click: Click): Promise<boolean> {
    const text = await parts.rights.refuseCancel(click.request, click.userId);
    if (text) await answerPrivately(click, { text });
    return text !== undefined;
  }

  async function setNotify(click: Click, wants: boolean): Promise<void> {
    await watchers.set(click.request.id, click.userId, wants);
    const { text, back } = renderNotifyAnswer(click.request.id, wants);
    await answerPrivately(click, { text, blocks: [section(text), actions([back])] });
  }
}

const repeatOf = ({ request: { id, teamId }, body, client, respond }: Click) => ({
  ...{ body, client, respond, teamId },
  ...{ ref: { requestId: id }, isList: false },
});

const alreadyShown = 'Someone already asked to show this run in the channel.';

const canceling = 'Canceling this run. Its message shows when it has ended.';
