import type { Audit } from '../../store/audit/audit.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Authorized } from './key-rights.ts';
import type { Refusal } from './permissions.ts';
import type { Rights } from './rights.ts';
import type { Admission } from './start-rights.ts';

type Outcome = Refusal | undefined | Authorized | Admission;

/** Adds denials to the audit log, but only of acts that would start or change something. */
export function noteRefusals(rights: Rights, audit: Audit): Rights {
  async function noted<T extends Outcome>(
    wanted: string,
    { teamId, userId }: RunViewer,
    decision: Promise<T>,
    requestId?: string,
  ): Promise<T> {
    const outcome = await decision;
    const refusal = refusalIn(outcome);
    if (refusal)
      await audit.note({
        teamId,
        actorId: userId,
        action: 'access_refused',
        details: { wanted, refusal },
        entity: requestId ? { type: 'run', id: requestId } : { type: 'workspace', id: teamId },
      });
    return outcome;
  }

  return {
    ...rights,
    admit: (start, lookupWaitMs) => {
      const asker = { teamId: start.teamId, userId: start.authority.actorId };
      return noted('start', asker, rights.admit(start, lookupWaitMs));
    },
    refuseStart: (asker) => noted('start', asker, rights.refuseStart(asker)),
    refuseFollowUp: (asker) => noted('follow up', asker, rights.refuseFollowUp(asker)),
    authorizeMessage: (asker, run) =>
      noted('follow up', asker, rights.authorizeMessage(asker, run), run.id),
    refuseTryAgain: (run, userId) =>
      noted(
        'try again',
        { teamId: run.teamId, userId },
        rights.refuseTryAgain(run, userId),
        run.id,
      ),
    refuseCancel: (run, userId) =>
      noted('cancel', { teamId: run.teamId, userId }, rights.refuseCancel(run, userId), run.id),
    refusePublish: (run, userId, how) => {
      const decision = rights.refusePublish(run, userId, how);
      const wanted = how.isMerge ? 'merge' : 'publish';
      return noted(wanted, { teamId: run.teamId, userId }, decision, run.id);
    },
    authorizeAnswer: (run, userId) =>
      noted('answer', { teamId: run.teamId, userId }, rights.authorizeAnswer(run, userId), run.id),
    refuseButAdmins: (asker, act) => noted(act, asker, rights.refuseButAdmins(asker, act)),
  };
}

function refusalIn(outcome: Outcome): Refusal | undefined {
  if (typeof outcome !== 'object') return outcome;
  if (!('refusal' in outcome)) return undefined;
  const { refusal } = outcome;
  return typeof refusal === 'string' ? refusal : refusal.sentence;
}
