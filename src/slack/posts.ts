import type { Logger } from 'base/logger';
import type { Store } from '../store/store.ts';
import { createAgentSessionKind } from './agent-session/agent-session-kind.ts';
import {
  createAutomationNoticeKind,
  createAutomationThreadKind,
} from './automations/posts/automation-posts.ts';
import type { Connect } from './configuration/connect.ts';
import { createDigestKind } from './digest/digest-kind.ts';
import { createMessageRemover } from './posting/post-message.ts';
import type { SlackClock } from './posting/slack-clock.ts';
import { createQuestionKind } from './question/question-kind.ts';
import { createMentionHintKind } from './replies/mention-hint.ts';
import { createNoticeKinds } from './run-message/notices/notice-kinds.ts';
import { createNotifiedReader } from './run-message/notices/notified-people.ts';
import { createUploadKind, createUploadReader } from './run-message/notices/upload-kind.ts';
import { createNoticePlanner } from './run-message/plan-posts.ts';
import { createRunMessageKind } from './run-message/run-message-kind.ts';
import type { ReadAnswer } from './runs/reading/whole-answer.ts';
import type { Workspace } from './workspace.ts';

type PostDeps = {
  store: Pick<
    Store,
    'list' | 'settings' | 'watchers' | 'feedback' | 'spending' | 'posting' | 'following'
  >;
  clock: SlackClock;
  apiUrl: string;
  connect: Connect;
  readAnswer: ReadAnswer;
  logger: Logger;
};

/** Creates all kinds of posts that the outbox makes in one workspace. */
export function createPosts(
  { client, granted, budget, policies, botUserId, people: { readNames } }: Workspace,
  { store, clock, apiUrl, connect, readAnswer, logger }: PostDeps,
) {
  const { list, settings, watchers, feedback, spending } = store;
  const { requests, lengths, answers } = store.following;
  const { outbox } = store.posting;
  const readNotified = createNotifiedReader({ watchers, requests });
  const notices = createNoticeKinds({
    client,
    clock,
    budget,
    outbox,
    answers,
    readNames,
    readAnswer,
    readNotified,
  });
  return {
    kinds: {
      'run-message': createRunMessageKind({
        client,
        clock,
        budget,
        outbox,
        planNotices: createNoticePlanner({
          client,
          settings,
          outbox,
          lengths,
          readNotified,
          policies,
        }),
      }),
      end: notices.end,
      nudge: notices.nudge,
      pointer: notices.pointer,
      upload: createUploadKind({
        client,
        clock,
        budget,
        outbox,
        granted,
        apiUrl,
        readFile: createUploadReader(connect, readAnswer),
        readNotified,
      }),
      question: createQuestionKind({
        client,
        clock,
        budget,
        outbox,
        answers,
        readNames,
        policies,
      }),
      digest: createDigestKind({ client, clock, budget, list, feedback, spending, readNames }),
      'automation-notice': createAutomationNoticeKind({ client, clock, budget, readNames }),
      'automation-thread': createAutomationThreadKind({ client, clock, budget }),
      'mention-hint': createMentionHintKind(client, botUserId),
      'agent-session': createAgentSessionKind({
        client,
        granted,
        budget,
        requests,
        settings,
        logger,
      }),
    },
    remove: createMessageRemover(client),
  };
}
