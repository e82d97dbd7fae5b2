import type { Audit } from '../../store/audit/audit.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Authorized } from './key-rights.ts';
import type { Refusal } from './may.ts';
import type { Rights } from './rights.ts';
import type { Admission, Start } from './start-rights.ts';

type Decision = Promise<Refusal | undefined>;
type OfRun = { id?: string; teamId: string };

/** Adds refusals to the audit log, but only of acts that would start or change something. */
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
    const { teamId, authority } = start;
    const asker = { teamId, userId: authority.actorId };
    await noted('start', asker, Promise.resolve(refusal?.sentence));
    return admission;
  }
  async function notedRight(
    wanted: string,
    asker: RunViewer,
    right: Promise<Authorized>,
    requestId?: string,
  ): Promise<Authorized> {
    const authorized = await right;
    const refusal = 'refusal' in authorized ? authorized.refusal : undefined;
    await noted(wanted, asker, Promise.resolve(refusal), requestId);
    return authorized;
  }
  const ofRun = ({ teamId }: OfRun, userId: string) => ({ teamId, userId });

  return {
    ...rights,
    admit: notedAdmission,
    refuseStart: (asker) => noted('start', asker, rights.refuseStart(asker)),
    refuseFollowUp: (asker) => noted('follow up', asker, rights.refuseFollowUp(asker)),
    authorizeMessage: (asker, run) =>
      notedRight('follow up', asker, rights.authorizeMessage(asker, run), run.id),
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
    authorizeAnswer: (request, userId) => {
      const right = rights.authorizeAnswer(request, userId);
      return notedRight('answer', ofRun(request, userId), right, request.id);
    },
    refuseButAdmins: (asker, act) => noted(act, asker, rights.refuseButAdmins(asker, act)),
  };
}
