import type { Audit } from '../../store/audit/audit.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Refusal } from './may.ts';
import type { Rights } from './rights.ts';
import type { Admission, Start } from './start-rights.ts';

type Decision = Promise<Refusal | undefined>;
type OfRun = { id?: string; teamId: string };

/** The same rights; what they refuse is in the audit log. Looking isn't: only what would start or change something. */
export function noteRefusals(rights: Rights, audit: Pick<Audit, 'note'>): Rights {
  async function noted(
    wanted: string,
    { teamId, userId }: RunViewer,
    decision: Decision,
    requestId?: string,
  ): Decision {
    const refusal = await decision;
    if (!refusal) return undefined;
    await audit.note({
      teamId,
      actorId: userId,
      action: 'access_refused',
      details: { wanted, refusal },
      entity: requestId ? { type: 'run', id: requestId } : { type: 'workspace', id: teamId },
    });
    return refusal;
  }
  async function notedAdmission(start: Start, lookupWaitMs?: number): Promise<Admission> {
    const admission = await rights.admit(start, lookupWaitMs);
    const { refusal } = { refusal: undefined, ...admission };
    await noted('start', start, Promise.resolve(refusal?.sentence));
    return admission;
  }
  const ofRun = ({ teamId }: OfRun, userId: string) => ({ teamId, userId });

  return {
    ...rights,
    admit: notedAdmission,
    refuseStart: (asker) => noted('start', asker, rights.refuseStart(asker)),
    refuseFollowUp: (asker, run) => noted('follow up', asker, rights.refuseFollowUp(asker, run)),
    refuseTryAgain: (request, userId) =>
      noted(
        'try again',
        ofRun(request, userId),
        rights.refuseTryAgain(request, userId),
        request.id,
      ),
    refuseCancel: (request, userId) =>
      noted('cancel', ofRun(request, userId), rights.refuseCancel(request, userId), request.id),
    refusePublish: (request, userId, how) => {
      const wanted = how.isMerge ? 'merge' : 'publish';
      const decision = rights.refusePublish(request, userId, how);
      return noted(wanted, ofRun(request, userId), decision, request.id);
    },
    refuseAnswer: (request, userId) =>
      noted('answer', ofRun(request, userId), rights.refuseAnswer(request, userId), request.id),
    refuseButAdmins: (asker, act) => noted(act, asker, rights.refuseButAdmins(asker, act)),
  };
}
