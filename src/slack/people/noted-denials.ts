import type { Audit } from '../../store/audit/audit.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Authorized } from './key-rights.ts';
import type { Denial } from './permissions.ts';
import type { Rights } from './rights.ts';
import type { Admission } from './start-rights.ts';

type Outcome = Denial | undefined | Authorized | Admission;

/**
 * Returns the same rights, but adds denials to the audit log. Only acts that would start or change something are
 * logged.
 */
export function noteDenials(rights: Rights, audit: Audit): Rights {
  async function noted<T extends Outcome>(
    wanted: string,
    { teamId, userId }: RunViewer,
    decision: Promise<T>,
    requestId?: string,
  ): Promise<T> {
    const outcome = await decision;
    const denial = denialIn(outcome);
    if (denial)
      await audit.note({
        teamId,
        actorId: userId,
        action: 'access_rejected',
        details: { wanted, denial },
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
    denyStart: (asker) => noted('start', asker, rights.denyStart(asker)),
    denyFollowUp: (asker) => noted('follow up', asker, rights.denyFollowUp(asker)),
    authorizeMessage: (asker, run) =>
      noted('follow up', asker, rights.authorizeMessage(asker, run), run.id),
    denyTryAgain: (run, userId) =>
      noted('try again', { teamId: run.teamId, userId }, rights.denyTryAgain(run, userId), run.id),
    denyCancel: (run, userId) =>
      noted('cancel', { teamId: run.teamId, userId }, rights.denyCancel(run, userId), run.id),
    denyPublish: (run, userId, how) => {
      const decision = rights.denyPublish(run, userId, how);
      const wanted = how.isMerge ? 'merge' : 'publish';
      return noted(wanted, { teamId: run.teamId, userId }, decision, run.id);
    },
    authorizeAnswer: (run, userId) =>
      noted('answer', { teamId: run.teamId, userId }, rights.authorizeAnswer(run, userId), run.id),
    authorizeSpend: (run, userId) =>
      noted('spend', { teamId: run.teamId, userId }, rights.authorizeSpend(run, userId), run.id),
    denyAllButAdmins: (asker, act) => noted(act, asker, rights.denyAllButAdmins(asker, act)),
  };
}

function denialIn(outcome: Outcome): Denial | undefined {
  if (typeof outcome !== 'object') return outcome;
  if (!('denial' in outcome)) return undefined;
  const { denial } = outcome;
  return typeof denial === 'string' ? denial : denial.sentence;
}
