import { RunsApiError } from 'runs-client/runs-api-error';
import type { Authority } from '../../../requests/authority.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { Requests } from '../../../store/requests/requests.ts';
import type { RunViewer } from '../../../store/requests/visible-requests.ts';
import type { RunConnections } from '../../configuration/run-connections.ts';
import type { Rights } from '../../people/rights.ts';
import { unknownRun } from '../../posting/answer-privately.ts';
import { failureSentence } from '../../text/failure.ts';
import { isAboutSpending, openQuestion } from '../run-question.ts';
import type { RunRef } from '../run-ref.ts';
import type { FoundRun, OwnRuns, ReadOwnRuns } from './own-runs.ts';

/** Request that was found, or a sentence that tells the person why they can't use it. */
export type ReadRequestOutcome = { request: RunRequest } | { sentence: string };
/** Run that was found, perhaps from outside Slack, or a sentence that tells the person why they can't see it. */
type ReadRunOutcome = FoundRun | { sentence: string };
export type AnswerAccess = { request: RunRequest; authority: Authority } | { sentence: string };

type ReadRequest = (viewer: RunViewer, requestId: string) => Promise<ReadRequestOutcome>;
type ReadRun = (viewer: RunViewer, ref: RunRef) => Promise<ReadRunOutcome>;

export type RunAccess = ReturnType<typeof createRunAccess>;

/** Short timeout without retries, because a person is waiting for the answer to a click. */
const callOptions = { timeoutMs: 2_000, maxRetries: 0 } as const;

/**
 * Creates the functions that find a run for a person and check their rights. The person must be in the run's
 * conversation or be its creator. See docs/decisions/014-seeing-follows-the-conversation.md.
 */
export function createRunAccess(deps: {
  requests: Requests;
  readOwnRuns: ReadOwnRuns;
  connections: Pick<RunConnections, 'has' | 'through'>;
  rights: Pick<
    Rights,
    | 'denyFollowUp'
    | 'denyCancel'
    | 'denyTryAgain'
    | 'denyPublish'
    | 'authorizeAnswer'
    | 'authorizeSpend'
  >;
  promptRights: Pick<Rights, 'denySee' | 'denyPublish' | 'authorizeAnswer' | 'authorizeSpend'>;
}) {
  const { requests, readOwnRuns, connections, rights, promptRights } = deps;
  async function ifVisible(
    viewer: RunViewer,
    request: RunRequest | undefined,
    sentence: string,
  ): Promise<ReadRequestOutcome> {
    const visible = request && (await requests.findVisible(viewer, [request.id]));
    return request && visible?.has(request.id) ? { request } : { sentence };
  }

  const readRequest: ReadRequest = async (viewer, requestId) =>
    ifVisible(viewer, await requests.find(requestId), unknownRun);

  /** Finds a run in the store or, if it wasn't started in Slack, in the runs service. */
  const readRun: ReadRun = async (viewer, ref) => {
    if ('requestId' in ref) return readRequest(viewer, ref.requestId);
    const { runId, serviceId } = ref;
    const [request] = await requests.findByRunIds(serviceId, [runId]);
    // Return the same text for a hidden run as for an unknown one, because anyone can type an ID.
    if (request) return ifVisible(viewer, request, runNotFound);
    if (!(await connections.has(serviceId))) return { sentence: runNotFound };
    const runs = readOwnRuns(await connections.through(viewer, serviceId));
    const found = await readFromService(runs, runId);
    return 'request' in found ? ifVisible(viewer, found.request, runNotFound) : found;
  };

  const unless =
    (
      reject: (request: RunRequest, viewer: RunViewer) => ReturnType<Rights['denySee']>,
    ): ReadRequest =>
    async (viewer, requestId) => {
      const found = await readRequest(viewer, requestId);
      const sentence = 'request' in found ? await reject(found.request, viewer) : undefined;
      return sentence ? { sentence } : found;
    };

  const toAnswer =
    ({ authorizeAnswer, authorizeSpend }: Pick<Rights, 'authorizeAnswer' | 'authorizeSpend'>) =>
    async (viewer: RunViewer, requestId: string): Promise<AnswerAccess> => {
      const found = await readRequest(viewer, requestId);
      if ('sentence' in found) return found;
      const question = openQuestion(found.request)?.question;
      const authorizeIt = question && isAboutSpending(question) ? authorizeSpend : authorizeAnswer;
      const authorized = await authorizeIt(found.request, viewer.userId);
      return 'denial' in authorized
        ? { sentence: authorized.denial }
        : { request: found.request, authority: authorized.authority };
    };

  const see: ReadRun = async (viewer, ref) => {
    const sentence = await promptRights.denySee(viewer);
    return sentence ? { sentence } : readRun(viewer, ref);
  };

  const seeRequest: ReadRequest = async (viewer, requestId) => {
    const sentence = await promptRights.denySee(viewer);
    return sentence ? { sentence } : readRequest(viewer, requestId);
  };

  return {
    /** Finds a run to show, or to use for starting another one. */
    see,
    seeRequest,
    /** Finds a run to message or continue, if the person may do so. */
    message: unless((_, viewer) => rights.denyFollowUp(viewer)),
    /**
     * Finds a run to cancel, unfollow, or revoke the session link of. Doesn't wait for Slack if the person is the
     * creator.
     */
    command: unless((request, { userId }) => rights.denyCancel(request, userId)),
    /** Finds a run to publish changes of, or to change the pull request of. */
    publish: unless((request, { userId }) =>
      rights.denyPublish(request, userId, { isMerge: false }),
    ),
    /** Does the same as `publish` for a form, which waits only a short time for Slack. */
    publishInForm: unless((request, { userId }) =>
      promptRights.denyPublish(request, userId, { isMerge: false }),
    ),
    merge: unless((request, { userId }) => rights.denyPublish(request, userId, { isMerge: true })),
    answer: toAnswer(rights),
    /** Does the same as `answer` for the question's form, which waits only a short time for Slack. */
    answerInForm: toAnswer(promptRights),
    tryAgain: unless((request, { userId }) => rights.denyTryAgain(request, userId)),
  };
}

/**
 * Reads a run by its run ID from the runs service, because the store doesn't know it. The run may still belong to a
 * request.
 */
async function readFromService(runs: OwnRuns, runId: string): Promise<ReadRunOutcome> {
  try {
    return await runs.find(runId, callOptions);
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    const isGone = error.code === 'not_found';
    return { sentence: isGone ? runNotFound : failureSentence(error.code, runs.connectionId) };
  }
}

const runNotFound = 'Run not found. Neither this app nor the runs service has it.';
