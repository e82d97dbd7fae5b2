/** Says in a run's thread that its workflow can't continue. */
import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Inbox } from '../../inbox/inbox.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { postOnce } from '../posting/post-message.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { code, escapeText } from '../text/escape-text.ts';

type TellParts = {
  inbox: Pick<Inbox, 'register'>;
  client: WebClient;
  outbox: Pick<Outbox, 'findMessage'>;
};

const storedSchema = z.object({ requestId: z.string(), text: z.string(), sinceMs: z.number() });

/** Until the run message is there. */
const againInMs = 5_000;

/** A run message that isn't there by then was refused everywhere. */
const longestWaitMs = 60 * 60_000;

/** @param reason Slack's error */
export type TellWorkflow = (request: RunRequest, reason: string) => Promise<void>;

export function createWorkflowTeller({ inbox, client, outbox }: TellParts): TellWorkflow {
  const told = inbox.register('workflow-stuck', {
    schema: storedSchema,
    async handle({ requestId, text, sinceMs }) {
      const message = await outbox.findMessage(requestId);
      if (!message) {
        const isLate = Date.now() - sinceMs > longestWaitMs;
        return isLate ? 'done' : { againAt: Date.now() + againInMs };
      }
      const mark = { event_type: 'slash_agent_step', event_payload: { request_id: requestId } };
      const to = { channel: message.channelId, thread_ts: message.ts };
      try {
        await postOnce(client, to, { mark, text }, sinceMs);
      } catch (error) {
        if (readSlackFailure(error).outcome === 'later') throw error;
      }
      return 'done';
    },
  });
  return async (request, reason) => {
    const { id: requestId } = request;
    await told.add(requestId, {
      requestId,
      text: stuckText(request, reason),
      sinceMs: Date.now(),
    });
  };
}

function stuckText({ origin, creatorId }: RunRequest, reason: string): string {
  const { name, hasPerson = false } = origin?.workflow ?? {};
  const workflow = name ? `workflow *${escapeText(name, 100)}*` : 'workflow';
  const who = hasPerson ? ` <@${creatorId}>` : '';
  return `⚠️ The ${workflow} can't continue: Slack rejected the result of this run (${code(reason, 100)}). Do its next steps by hand.${who}`;
}
