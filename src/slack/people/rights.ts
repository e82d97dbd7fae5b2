/** Reads the facts that `may.ts` decides on. */

import type { YesOrNo } from '../../policy/policy.ts';
import { namedFor, rulingOn } from '../../policy/ruling.ts';
import type { Scope, Settings } from '../../store/people/settings.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { ackWaitMs } from '../connection/deliveries/acknowledge-in-time.ts';
import { type Actors, actorOf } from './actors.ts';
import {
  type Refusal,
  refuseAnswer,
  refuseButAdmins,
  refuseCancel,
  refuseOpen,
  refusePreset,
  refusePublish,
  refuseSee,
  refuseSettings,
  refuseStartOf,
} from './may.ts';
import type { Person } from './people.ts';
import type { Policies, PolicyPlace } from './policies.ts';
import { createStartRights } from './start-rights.ts';

type Decision = Promise<Refusal | undefined>;
type OfRun = Pick<RunRequest, 'creatorId' | 'teamId' | 'channelId' | 'origin'> & { id?: string };

type RightsParts = {
  actors: Actors;
  policies: Pick<Policies, 'caseOf'>;
  settings: Pick<Settings, 'read'>;
};

export type Rights = ReturnType<typeof createRights>;

/** `waitMs`, for an acknowledgement, is how long Slack may take to say who the person is. */
export function createRights({ actors, policies, settings }: RightsParts) {
  /** An acknowledgement has time for one more answer of Slack. */
  const policyFor = ({ teamId, userId, channelId }: PolicyPlace, waitMs?: number) =>
    policies.caseOf({ teamId, userId, channelId }, waitMs === undefined ? undefined : ackWaitMs);

  /** With what rules say of other people's runs. */
  async function readOthers(
    { creatorId, teamId, channelId, origin }: OfRun,
    userId: string,
    { subject, waitMs }: { subject: YesOrNo; waitMs?: number | undefined },
  ) {
    const policy = await policyFor({ teamId, userId, channelId }, waitMs);
    const isByWorkflow = origin?.kind === 'workflow';
    const isCreator = userId === creatorId;
    const named = namedFor(policy, subject);
    return { creatorId, isCreator, isByWorkflow, policy: rulingOn(policy, subject), named };
  }

  return {
    policyFor,
    ...createStartRights({ actors, policyFor, settings }),
    /** Everything about one person in one place, for people who make rules. */
    async describe(place: PolicyPlace & { userId: string }, waitMs?: number) {
      const [actor, policy] = await Promise.all([
        actors.readNow(place, waitMs),
        policyFor(place, waitMs),
      ]);
      return { refusal: refuseStartOf(actor), isAdmin: actor.isAdmin, policy };
    },
    async refuseSee(asker: RunViewer, waitMs?: number): Decision {
      return refuseSee(await actors.read(asker, waitMs));
    },
    async refuseOpen(asker: RunViewer, waitMs?: number): Decision {
      return refuseOpen(await actors.read(asker, waitMs));
    },
    async refuseAnswer(request: OfRun, userId: string, waitMs?: number): Decision {
      const asker = { teamId: request.teamId, userId };
      const [actor, facts] = await Promise.all([
        userId === request.creatorId ? actors.read(asker, waitMs) : actors.readNow(asker, waitMs),
        readOthers(request, userId, { subject: 'answer', waitMs }),
      ]);
      return refuseAnswer(actor, facts);
    },
    async refuseCancel(request: OfRun, userId: string): Decision {
      if (userId === request.creatorId) return undefined;
      const [actor, facts] = await Promise.all([
        actors.readNow({ teamId: request.teamId, userId }),
        readOthers(request, userId, { subject: 'cancel' }),
      ]);
      return refuseCancel(actor, facts);
    },
    async refusePublish(
      request: OfRun,
      userId: string,
      { isMerge, waitMs }: { isMerge: boolean; waitMs?: number | undefined },
    ): Decision {
      const [actor, facts] = await Promise.all([
        actors.readNow({ teamId: request.teamId, userId }, waitMs),
        readOthers(request, userId, { subject: isMerge ? 'merge' : 'publish', waitMs }),
      ]);
      return refusePublish(actor, facts);
    },
    /** Whether a list offers this person to cancel other people's runs. `refuseCancel` decides when they do. */
    async offersCancel({ teamId, userId }: RunViewer, person: Person | undefined) {
      const policy = rulingOn(
        await policyFor({ teamId, userId, channelId: undefined }, ackWaitMs),
        'cancel',
      );
      const facts = { creatorId: '', isCreator: false, isByWorkflow: false, policy };
      return refuseCancel(actorOf(person, teamId), facts) === undefined;
    },
    async refuseSettings(asker: RunViewer, scope: Scope, waitMs?: number): Decision {
      if (scope === 'person') return undefined;
      return refuseSettings(await actors.readNow(asker, waitMs), scope);
    },
    async refuseButAdmins(asker: RunViewer, act: string): Decision {
      return refuseButAdmins(await actors.readNow(asker), act);
    },

    async refusePreset(
      asker: RunViewer,
      { scope, makerId }: { scope: Scope; makerId?: string | undefined },
      waitMs?: number,
    ): Decision {
      if (scope === 'person') return undefined;
      const actor = await actors.readNow(asker, waitMs);
      return refusePreset(actor, { scope, isMaker: makerId === asker.userId });
    },
  };
}
