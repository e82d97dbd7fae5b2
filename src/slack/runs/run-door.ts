import type { RunRequest } from '../../store/requests/request-row.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { ackWaitMs } from '../connection/acknowledge-in-time.ts';
import type { Refusal } from '../people/may.ts';
import type { Rights } from '../people/rights.ts';
import {
  createRunReader,
  type ReadRequestOutcome,
  type ReadRun,
  type RunReaderParts,
} from './read-run.ts';

type DoorParts = RunReaderParts & {
  rights: Pick<
    Rights,
    | 'refuseSee'
    | 'refuseFollowUp'
    | 'refuseCancel'
    | 'refuseTryAgain'
    | 'refusePublish'
    | 'refuseAnswer'
  >;
};

export type RunDoor = ReturnType<typeof createRunDoor>;

/**
 * The only way from a click to a run: whatever someone wants with it, they must be in its conversation or its creator, and
 * have the right. The sentence says why not. See docs/decisions/019-seeing-follows-the-conversation.md.
 */
export function createRunDoor({ rights, ...parts }: DoorParts) {
  const { readRequest, readRun } = createRunReader(parts);

  async function unless(
    refuse: (request: RunRequest) => Promise<Refusal | undefined>,
    found: ReadRequestOutcome,
  ): Promise<ReadRequestOutcome> {
    const sentence = 'request' in found ? await refuse(found.request) : undefined;
    return sentence ? { sentence } : found;
  }

  /** To see it, or to start another one from it. */
  const see: ReadRun = async (viewer, ref) => {
    const sentence = await rights.refuseSee(viewer, ackWaitMs);
    return sentence ? { sentence } : readRun(viewer, ref);
  };

  return {
    see,

    async seeRequest(viewer: RunViewer, requestId: string): Promise<ReadRequestOutcome> {
      const sentence = await rights.refuseSee(viewer, ackWaitMs);
      return sentence ? { sentence } : readRequest(viewer, requestId);
    },

    /** To send it a message, or to continue its conversation. */
    message: async (viewer: RunViewer, requestId: string) =>
      unless(() => rights.refuseFollowUp(viewer), await readRequest(viewer, requestId)),

    /** To cancel it, stop following it, or revoke its link. Its creator needs no answer from Slack. */
    command: async (viewer: RunViewer, requestId: string) =>
      unless(
        (request) => rights.refuseCancel(request, viewer.userId),
        await readRequest(viewer, requestId),
      ),

    /** To publish its changes, or to change its pull request. */
    publish: async (viewer: RunViewer, requestId: string, waitMs?: number) =>
      unless(
        (request) => rights.refusePublish(request, viewer.userId, { isMerge: false, waitMs }),
        await readRequest(viewer, requestId),
      ),

    merge: async (viewer: RunViewer, requestId: string) =>
      unless(
        (request) => rights.refusePublish(request, viewer.userId, { isMerge: true }),
        await readRequest(viewer, requestId),
      ),

    /** To answer its agent. */
    answer: async (viewer: RunViewer, requestId: string, waitMs?: number) =>
      unless(
        (request) => rights.refuseAnswer(request, viewer.userId, waitMs),
        await readRequest(viewer, requestId),
      ),

    tryAgain: async (viewer: RunViewer, requestId: string) =>
      unless(
        (request) => rights.refuseTryAgain(request, viewer.userId),
        await readRequest(viewer, requestId),
      ),
  };
}
