/** Says in a run's thread that its workflow can't continue. */
import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Inbox } from '../../inbox/inbox.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';
import { postOnce } from '../posting/post-once.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { threadOf } from '../runs/run-thread.ts';
import { code, escapeText } from '../text/escape-text.ts';

type TellParts = {
  inbox: Pick<Inbox, 'register'>;
  client: WebClient;
  requests: Pick<Requests, 'find'>;
  outbox: Pick<Outbox, 'findMessage'>;
};

const storedSchema = z.object({ requestId: z.string(), reason: z.string(), sinceMs: z.number() });

const againInMs = 5_000;

/** @param reason Slack's error */
export type TellWorkflow = (requestId: string, reason: string) => Promise<void>;

export function createWorkflowTeller(parts: TellParts): TellWorkflow {
  const { client, requests, outbox } = parts;
  const told = parts.inbox.register('workflow-stuck', {
    schema: storedSchema,
    async handle({ requestId, reason, sinceMs }) {
      const request = await requests.find(requestId);
      if (!request) return 'done';
      const thread = threadOf(request, (await outbox.findMessage(requestId)) ?? undefined);
      if (!thread) return { againAt: Date.now() + againInMs };
      const mark = {
        event_type: 'slash_agent_step',
        event_payload: { request_id: requestId },
      };
      const to = { channel: thread.channelId, thread_ts: thread.ts };
      try {
        await postOnce(client, to, { mark, text: stuckText(request, reason) }, sinceMs);
      } catch (error) {
        if (readSlackFailure(error).outcome === 'later') throw error;
      }
      return 'done';
    },
  });
  return async (requestId, reason) =>
    void (await told.add(requestId, { requestId, reason, sinceMs: Date.now() }));
}

function stuckText({ origin, creatorId }: RunRequest, reason: string): string {
  const { name, hasPerson = false } = origin?.workflow ?? {};
  const workflow = name ? `workflow *${escapeText(name, 100)}*` : 'workflow';
  const who = hasPerson ? ` <@${creatorId}>` : '';
  return `⚠️ The ${workflow} can't continue: Slack rejected the result of this run (${code(reason, 100)}). Do its next steps by hand.${who}`;
}
