import type { Authority } from '../../../requests/authority.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { RunViewer } from '../../../store/requests/visible-requests.ts';
import type { Refusal } from '../../people/may.ts';
import type { Rights } from '../../people/rights.ts';
import {
  createRunReader,
  type ReadRequestOutcome,
  type ReadRun,
  type RunReaderParts,
} from './read-run.ts';

type RunAccessParts = RunReaderParts & {
  rights: Pick<
    Rights,
    'refuseFollowUp' | 'refuseCancel' | 'refuseTryAgain' | 'refusePublish' | 'authorizeAnswer'
  >;
  promptRights: Pick<Rights, 'refuseSee' | 'refusePublish' | 'authorizeAnswer'>;
};

export type AnswerAccess = { request: RunRequest; authority: Authority } | { sentence: string };

type Refuse = (request: RunRequest, viewer: RunViewer) => Promise<Refusal | undefined>;

export type RunAccess = ReturnType<typeof createRunAccess>;

/**
 * The only way from a click to a run: whatever someone wants with it, they must be in its conversation or its creator, and
 * have the right. The sentence says why not. See docs/decisions/014-seeing-follows-the-conversation.md.
 */
export function createRunAccess({ rights, promptRights, ...parts }: RunAccessParts) {
  const { readRequest, readRun } = createRunReader(parts);

  const unless =
    (refuse: Refuse) =>
    async (viewer: RunViewer, requestId: string): Promise<ReadRequestOutcome> => {
      const found = await readRequest(viewer, requestId);
      const sentence = 'request' in found ? await refuse(found.request, viewer) : undefined;
      return sentence ? { sentence } : found;
    };

  /** Whose keys and permissions the answer uses. */
  const toAnswer =
    ({ authorizeAnswer }: Pick<Rights, 'authorizeAnswer'>) =>
    async (viewer: RunViewer, requestId: string): Promise<AnswerAccess> => {
      const found = await readRequest(viewer, requestId);
      if ('sentence' in found) return found;
      const authorized = await authorizeAnswer(found.request, viewer.userId);
      return 'refusal' in authorized
        ? { sentence: authorized.refusal }
        : { ...found, authority: authorized.authority };
    };

  /** To see it, or to start another one from it. */
  const see: ReadRun = async (viewer, ref) => {
    const sentence = await promptRights.refuseSee(viewer);
    return sentence ? { sentence } : readRun(viewer, ref);
  };

  return {
    see,

    async seeRequest(viewer: RunViewer, requestId: string): Promise<ReadRequestOutcome> {
      const sentence = await promptRights.refuseSee(viewer);
      return sentence ? { sentence } : readRequest(viewer, requestId);
    },

    /** To send it a message, or to continue its conversation. */
    message: unless((_, viewer) => rights.refuseFollowUp(viewer)),

    /** To cancel it, stop following it, or revoke its link. Its creator needs no answer from Slack. */
    command: unless((request, { userId }) => rights.refuseCancel(request, userId)),

    /** To publish its changes, or to change its pull request. */
    publish: unless((request, { userId }) =>
      rights.refusePublish(request, userId, { isMerge: false }),
    ),

    /** To open or submit its form, for which Slack waits. */
    publishInForm: unless((request, { userId }) =>
      promptRights.refusePublish(request, userId, { isMerge: false }),
    ),

    merge: unless((request, { userId }) =>
      rights.refusePublish(request, userId, { isMerge: true }),
    ),

    /** To answer its agent. */
    answer: toAnswer(rights),

    /** To open or submit the form of a question, for which Slack waits. */
    answerInForm: toAnswer(promptRights),

    tryAgain: unless((request, { userId }) => rights.refuseTryAgain(request, userId)),
  };
}
