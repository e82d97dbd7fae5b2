import type { WebClient } from '@slack/web-api';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Mark } from '../posting/marked-messages.ts';
import type { SlackClock } from '../posting/slack-clock.ts';
import { runMessageEvent } from '../runs/reading/run-of-message.ts';

export const messageMark = ({ id }: RunRequest): Mark => ({
  event_type: runMessageEvent,
  event_payload: { request_id: id },
});

/** The same for notices: a request may have several. */
export const noticeMark = ({ id }: RunRequest, postId: string): Mark => ({
  event_type: 'slash_agent_run_end',
  event_payload: { request_id: id, notice: postId },
});

export type Search = { client: WebClient; clock: SlackClock };
