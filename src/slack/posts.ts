import type { Logger } from 'base/logger';
import type { Store } from '../store/store.ts';
import { createAgentSessionKind } from './agent-session/agent-session-kind.ts';
import { createDigestKind } from './digest/digest-kind.ts';
import { createMessageRemover } from './posting/post-message.ts';
import type { SlackClock } from './posting/slack-clock.ts';
import { createQuestionKind } from './question/question-kind.ts';
import { createNoticeKinds } from './run-message/notices/notice-kinds.ts';
import { createRunMessageKind } from './run-message/run-message-kind.ts';
import { createUploadKind } from './run-message/uploads/upload-kind.ts';
import type { ReadAnswer } from './runs/reading/whole-answer.ts';
import type { Workspace } from './workspace.ts';

type PostParts = Pick<Parameters<typeof createUploadKind>[0], 'connect'> & {
  clock: SlackClock;
  apiUrl: string;
  readAnswer: ReadAnswer;
  logger: Logger;
  store: Pick<Store, 'list' | 'settings' | 'watchers' | 'feedback' | 'posting' | 'following'>;
};

/** Everything that the outbox posts in one workspace. */
export function createPosts(workspace: Workspace, { store, ...shared }: PostParts) {
  const { client, granted, budget, people } = workspace;
  const posting = {
    ...shared,
    client,
    granted,
    budget,
    readNames: people.readNames,
    list: store.list,
    settings: store.settings,
    watchers: store.watchers,
    requests: store.following.requests,
    feedback: store.feedback,
    outbox: store.posting.outbox,
    lengths: store.following.lengths,
    answers: store.following.answers,
  };
  return {
    kinds: {
      'run-message': createRunMessageKind(posting),
      ...createNoticeKinds(posting),
      upload: createUploadKind(posting),
      question: createQuestionKind(posting),
      digest: createDigestKind(posting),
      'agent-session': createAgentSessionKind({ ...posting, ...store.following }),
    },
    remove: createMessageRemover(client),
  };
}
