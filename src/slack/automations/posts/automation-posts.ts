/** Plans and posts the messages of automations that aren't about a run. */
import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Automation } from '../../../automations/automation.ts';
import { automationNoticeSchema } from '../../../automations/notice.ts';
import type { OpenPost, PostKind } from '../../../outbox/post-kind.ts';
import type { NewPost, Post } from '../../../store/outbox/outbox-row.ts';
import type { ReadNames } from '../../people/people.ts';
import { findAll, findFirst, findMarked } from '../../posting/marked-messages.ts';
import { openDirectMessage, postMessage } from '../../posting/post-message.ts';
import type { SlackBudget } from '../../posting/slack-budget.ts';
import type { SlackClock } from '../../posting/slack-clock.ts';
import { readSlackFailure } from '../../posting/slack-failure.ts';
import { type AutomationMessage, renderPauseNotice, renderThreadStart } from './render-posts.ts';

type PostingDeps = { client: WebClient; clock: SlackClock; budget: SlackBudget };

export function createAutomationNoticeKind(deps: PostingDeps & { readNames: ReadNames }): PostKind {
  return {
    async open(post) {
      const content = automationNoticeSchema.parse(post.content);
      const { userId, channelId, ownerId } = content;
      const find = async () => ({
        channel: userId === null ? channelId : await openDirectMessage(deps.client, userId),
      });
      return openOnce(deps, post, find, async () =>
        renderPauseNotice(content, await deps.readNames([ownerId])),
      );
    },
  };
}

const threadSchema = z.object({
  automationId: z.string(),
  name: z.string(),
  channelId: z.string(),
});

/** Returns the ID of the message whose thread shows an automation's runs. An automation that moves gets another one. */
export const automationThreadId = ({ id, channelId }: Pick<Automation, 'id' | 'channelId'>) =>
  `automation-thread ${id} ${channelId}`;

export const newAutomationThread = (
  automation: Pick<Automation, 'id' | 'teamId' | 'channelId' | 'name'>,
): NewPost => ({
  id: automationThreadId(automation),
  kind: 'automation-thread',
  teamId: automation.teamId,
  requestId: null,
  content: {
    automationId: automation.id,
    name: automation.name,
    channelId: automation.channelId,
  } satisfies z.infer<typeof threadSchema>,
  dueAt: Date.now(),
});

/** Creates the posts whose threads show the runs of an automation. */
export function createAutomationThreadKind(deps: PostingDeps): PostKind {
  return {
    async open(post) {
      const content = threadSchema.parse(post.content);
      const find = async () => ({ channel: content.channelId });
      return openOnce(deps, post, find, async () => renderThreadStart(content));
    },
  };
}

/** Returns a message that is posted once and never updated. */
function openOnce(
  { client, clock, budget }: PostingDeps,
  { id, createdAt }: Post,
  findPlace: () => Promise<{ channel: string }>,
  render: () => Promise<AutomationMessage>,
): OpenPost {
  const mark = { event_type: 'slash_agent_automation', event_payload: { post: id } };
  async function* copies() {
    yield* findMarked(client, await findPlace(), mark, clock.fromOwnMs(createdAt));
  }
  const send = async () => postMessage({ client, budget }, await findPlace(), mark, await render());
  return {
    instead: [],
    post: () => send().catch(readSlackFailure),
    find: () => findFirst(copies()),
    findCopies: () => findAll(copies()),
  };
}
