import type {
  AllMiddlewareArgs,
  BlockAction,
  RespondFn,
  SlackActionMiddlewareArgs,
} from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { RunViewer } from '../../../store/requests/visible-requests.ts';
import { acknowledgeAfter } from '../../connection/deliveries/acknowledge-in-time.ts';
import type { Listeners } from '../../connection/deliveries/listeners.ts';
import { type RunRef, readRunRef } from '../run-ref.ts';

export type Click = { body: BlockAction; client: WebClient; respond?: RespondFn | undefined };

/** Click on a button or in a menu. `value` is the value of the button or option, or empty. */
export type Clicked = Click & {
  action: BlockAction['actions'][number];
  value: string;
  viewer: RunViewer;
};
type Act = (click: Clicked) => Promise<unknown>;
type App = Pick<Listeners, 'action'>;

/** Registers a button that changes something. Acknowledges the click once the change is made or stored. */
export function onClick(app: App, actionId: string | RegExp, act: Act): void {
  app.action<BlockAction>({ type: 'block_actions', action_id: actionId }, ({ ack, ...args }) =>
    acknowledgeAfter({ ack, context: args.context }, () => act(clickOf(args))),
  );
}

/** Registers a button that opens or updates a modal. Acknowledges the click at once, because its trigger expires. */
export function onOpeningClick(app: App, actionId: string | RegExp, act: Act): void {
  app.action<BlockAction>(
    { type: 'block_actions', action_id: actionId },
    async ({ ack, ...args }) => {
      await ack();
      await act(clickOf(args));
    },
  );
}

type Arguments = Omit<SlackActionMiddlewareArgs<BlockAction> & AllMiddlewareArgs, 'ack'>;

function clickOf({ action, body, client, respond, context }: Arguments): Clicked {
  const selected = 'selected_option' in action ? action.selected_option : action;
  const { value }: { value?: unknown } = Object(selected);
  const viewer = viewerOf(body, context.teamId);
  return { action, body, client, respond, value: typeof value === 'string' ? value : '', viewer };
}

/** Reads the run that a button's value refers to. */
export const refOf = ({ value }: Pick<Clicked, 'value'>): RunRef =>
  readRunRef(value) ?? { requestId: 'unknown' };

/** Starts an earlier run again. `isList` means that the button is in a list of runs, outside the run's channel. */
export type Repeat = (click: Clicked, ref: RunRef, place?: { isList: boolean }) => Promise<void>;

export type OpenDetails = (click: Clicked, ref: RunRef) => Promise<void>;

/** Updates *Details* after a click in it. Does nothing after clicks elsewhere. */
export type RedrawDetails = (click: Clicked, requestId: string) => Promise<void>;

/** Returns the person who clicked or typed, and the conversation. The person can see this conversation. */
export const viewerOf = (
  { user, channel }: { user: { id: string }; channel?: { id: string } | undefined },
  teamId = '',
): RunViewer => ({
  teamId,
  userId: user.id,
  conversationId: channel?.id,
});
