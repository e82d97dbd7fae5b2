/** Reads facts about people and rules, and lets `permissions.ts` decide. */

import type { PermissionName } from '../../policy/policy.ts';
import { namedFor, policyForActor, rulingOn } from '../../policy/ruling.ts';
import type { Scope } from '../../store/people/settings.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Actors } from './actors.ts';
import {
  type Authorized,
  createKeyRights,
  type KeyedRun,
  type McpServerReader,
} from './key-rights.ts';
import { createLaterRights } from './later-rights.ts';
import type { Person } from './people.ts';
import {
  type Actor,
  type Denial,
  denyAllButAdmins,
  denyAnswer,
  denyCancel,
  denyOpen,
  denyPreset,
  denyPublish,
  denySee,
  denySettings,
  denyStartOf,
} from './permissions.ts';
import type { Policies, PolicyPlace } from './policies.ts';
import { createSpendRights } from './spend-rights.ts';
import { createStartRights } from './start-rights.ts';

type Decision = Promise<Denial | undefined>;
type OfRun = Pick<RunRequest, 'creatorId' | 'teamId' | 'channelId' | 'origin'> & { id?: string };

export type Rights = ReturnType<typeof createRights>;

export function createRights(deps: {
  actors: Actors;
  policies: Pick<Policies, 'caseOf'>;
  servers: McpServerReader;
  /** Max time to wait for each answer from Slack, in ms. Undefined means no limit. */
  waitMs: number | undefined;
}) {
  const { actors, policies, servers, waitMs } = deps;
  const policyFor = ({ teamId, userId, channelId }: PolicyPlace) =>
    policies.caseOf({ teamId, userId, channelId }, waitMs);

  /**
   * Reads the facts about a run of someone else. Returns a function that adds the rules' decision for the person who
   * acts.
   */
  async function readOthers(
    { creatorId, teamId, channelId, origin }: OfRun,
    userId: string,
    subject: PermissionName,
  ) {
    const policy = await policyFor({ teamId, userId, channelId });
    const isByWorkflow = origin?.kind === 'workflow';
    const isCreator = userId === creatorId;
    const named = namedFor(policy, subject);
    const rulingFor = (actor: Actor) => rulingOn(policyForActor(policy, actor), subject);
    return (actor: Actor) => ({
      creatorId,
      isCreator,
      isByWorkflow,
      policy: rulingFor(actor),
      named,
    });
  }

  const keyed = createKeyRights({ actors, policyFor, servers, waitMs });
  const { authorizeKeys } = keyed;

  return {
    policyFor,
    authorizeMessage: keyed.authorizeMessage,
    ...createSpendRights({ actors, policyFor, waitMs }),
    ...createLaterRights({ actors, policyFor, waitMs }),
    ...createStartRights({ actors, policyFor, servers, authorizeKeys, waitMs }),
    /** Returns what one person can do in one channel, for admins who write rules. */
    async describe(place: PolicyPlace & { userId: string }) {
      const [actor, policy] = await Promise.all([actors.readNow(place, waitMs), policyFor(place)]);
      const denial = denyStartOf(actor);
      return { denial, isAdmin: actor.isAdmin, policy: policyForActor(policy, { isAdmin: true }) };
    },
    async denySee(asker: RunViewer): Decision {
      return denySee(await actors.read(asker, waitMs));
    },
    async denyOpen(asker: RunViewer): Decision {
      return denyOpen(await actors.read(asker, waitMs));
    },
    /**
     * Decides if someone can answer the agent. Also checks the run's keys, because an answer can let the agent use
     * them.
     */
    async authorizeAnswer(request: KeyedRun, userId: string): Promise<Authorized> {
      const asker = { teamId: request.teamId, userId };
      const [actor, factsFor] = await Promise.all([
        userId === request.creatorId ? actors.read(asker, waitMs) : actors.readNow(asker, waitMs),
        readOthers(request, userId, 'answer'),
      ]);
      const denial = denyAnswer(actor, factsFor(actor));
      return denial ? { denial } : authorizeKeys(request, userId, 'answer');
    },
    async denyCancel(request: OfRun, userId: string): Decision {
      if (userId === request.creatorId) return undefined;
      const [actor, factsFor] = await Promise.all([
        actors.readNow({ teamId: request.teamId, userId }, waitMs),
        readOthers(request, userId, 'cancel'),
      ]);
      return denyCancel(actor, factsFor(actor));
    },
    async denyPublish(
      request: KeyedRun,
      userId: string,
      { isMerge }: { isMerge: boolean },
    ): Decision {
      const [actor, factsFor] = await Promise.all([
        actors.readNow({ teamId: request.teamId, userId }, waitMs),
        readOthers(request, userId, isMerge ? 'merge' : 'publish'),
      ]);
      const denial = denyPublish(actor, factsFor(actor));
      if (denial) return denial;
      const authorized = await authorizeKeys(request, userId, 'publish');
      return 'denial' in authorized ? authorized.denial : undefined;
    },
    /**
     * Returns true if lists show this person *Cancel* for other people's runs. `denyCancel` decides after the click.
     */
    async offersCancel(viewer: RunViewer, person: Person | undefined) {
      const { teamId, userId } = viewer;
      const actor = await actors.actorFor(viewer, person, waitMs);
      const policy = rulingOn(await policyFor({ teamId, userId, channelId: undefined }), 'cancel');
      const facts = { creatorId: '', isCreator: false, isByWorkflow: false, policy };
      return denyCancel(actor, facts) === undefined;
    },
    /**
     * Returns true if this person sees hints for admins. Uses the given data instead of asking Slack for the person.
     */
    async isAdmin(viewer: RunViewer, person: Person | undefined): Promise<boolean> {
      return (await actors.actorFor(viewer, person, waitMs)).isAdmin;
    },
    async denySettings(asker: RunViewer, scope: Scope): Decision {
      if (scope === 'person') return undefined;
      return denySettings(await actors.readNow(asker, waitMs), scope);
    },
    async denyAllButAdmins(asker: RunViewer, act: string): Decision {
      return denyAllButAdmins(await actors.readNow(asker, waitMs), act);
    },

    async denyPreset(
      asker: RunViewer,
      { scope, makerId }: { scope: Scope; makerId?: string | undefined },
    ): Decision {
      if (scope === 'person') return undefined;
      const actor = await actors.readNow(asker, waitMs);
      return denyPreset(actor, { scope, isMaker: makerId === asker.userId });
    },
  };
}
