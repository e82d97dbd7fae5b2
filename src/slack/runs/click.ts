import type { BlockAction, RespondFn } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { RunRef } from './run-ref.ts';

export type Click = { body: BlockAction; client: WebClient; respond?: RespondFn | undefined };

/** Starts an earlier run again. `isList`: clicked in a list of runs, outside the run's channel. */
export type Repeat = (
  click: Click & { ref: RunRef; teamId: string; isList: boolean },
) => Promise<void>;

export type OpenDetails = (asked: {
  ref: RunRef;
  triggerId: string;
  viewer: RunViewer;
  client: WebClient;
}) => Promise<void>;

type Arrived = { user: { id: string }; channel?: { id: string } | undefined };

/** Someone who clicked or typed. Slack shows them the conversation that they did that in. */
export const viewerOf = ({ user, channel }: Arrived, teamId = ''): RunViewer => ({
  teamId,
  userId: user.id,
  conversationId: channel?.id,
});
