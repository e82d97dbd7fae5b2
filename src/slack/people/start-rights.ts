/** Decides who can start runs, by role, rules and the chosen configuration. */
import type { AgentConfig } from 'runs-client/contract';
import {
  type PolicyCase,
  policyForActor,
  type Ruling,
  rulingOn,
  startsSomewhere,
} from '../../policy/ruling.ts';
import {
  type ConfigRefusal,
  denyByRule,
  refuseConfig,
  refuseServers,
  uncheckedRuleSentence,
} from '../../policy/ruling-sentences.ts';
import { type Authority, ownAuthority } from '../../requests/authority.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Actors } from './actors.ts';
import type { KeyedRun, KeyRights, McpServerReader } from './key-rights.ts';
import {
  type Actor,
  type Refusal,
  refuseFollowUp,
  refuseForm,
  refuseStart,
  refuseWorkflowStart,
} from './permissions.ts';
import type { PolicyPlace } from './policies.ts';

type Decision = Promise<Refusal | undefined>;
type InPlace = RunViewer & { channelId?: string | undefined };
export type Start = {
  teamId: string;
  authority: Authority;
  channelId: string;
  config: AgentConfig;
  /** Set if a workflow step starts the run. `personId` is the person that it names. */
  workflow?: { personId: string | undefined } | undefined;
};

/** Limit that a rule sets for one person. */
export type OwnLimit = { most: number; rule: string; ask: string | undefined };
export type Admission =
  | { refusal: { sentence: Refusal; field?: ConfigRefusal['field'] } }
  | { activeRuns: OwnLimit | undefined; startsPerHour: OwnLimit | undefined };

export function createStartRights(deps: {
  actors: Actors;
  policyFor(place: PolicyPlace): Promise<PolicyCase>;
  servers: McpServerReader;
  authorizeKeys: KeyRights['authorizeKeys'];
  waitMs: number | undefined;
}) {
  const { actors, policyFor, servers, authorizeKeys, waitMs } = deps;
  async function refuseChosen(
    policy: PolicyCase,
    { teamId, config }: Pick<Start, 'teamId' | 'config'>,
  ) {
    const own = config.mcp_servers && (await servers.ofWorkspace(teamId));
    return refuseConfig(policy, config) ?? refuseServers(policy, config.mcp_servers, own);
  }

  /** Checks everything that a start needs. `lookupWaitMs` replaces `waitMs` for the person. */
  async function admit(start: Start, lookupWaitMs = waitMs): Promise<Admission> {
    const { teamId, channelId, authority, workflow } = start;
    const personId = workflow ? workflow.personId : authority.actorId;
    const [person, read] = await Promise.all([
      personId ? actors.read({ teamId, userId: personId }, lookupWaitMs) : undefined,
      // Rules for people don't apply to a workflow.
      policyFor({ teamId, userId: authority.keysOf ?? undefined, channelId }),
    ]);
    // The person of a workflow step isn't the one who reads the denial.
    const policy = workflow ? read : policyForActor(read, person ?? nobody);
    const ruling = rulingOn(policy, 'start');
    const workflows = rulingOn(policy, 'workflows');
    const sentence = workflow
      ? refuseWorkflowStart({ person, start: ruling, workflows })
      : refuseStart(person ?? nobody, ruling);
    const refusal = sentence ? { sentence } : await refuseChosen(policy, start);
    return refusal ? { refusal } : readLimits(policy);
  }

  return {
    admit,
    /** Checks a start with this configuration, except for limits. */
    async refuseConfigured({
      userId,
      ...start
    }: Omit<Start, 'workflow' | 'authority'> & { userId: string }): Decision {
      const admission = await admit({ ...start, authority: ownAuthority(userId) });
      return 'refusal' in admission ? admission.refusal.sentence : undefined;
    },
    async refuseStart(asker: InPlace): Decision {
      const { teamId, userId, channelId } = asker;
      const [actor, policy] = await Promise.all([
        actors.read(asker, waitMs),
        policyFor({ teamId, userId, channelId }),
      ]);
      return refuseStart(actor, rulingOn(policyForActor(policy, actor), 'start'));
    },
    /** Denies people who can't start runs anywhere. */
    async refuseForm(asker: RunViewer): Decision {
      const place = { teamId: asker.teamId, userId: asker.userId, channelId: undefined };
      const [actor, policy] = await Promise.all([actors.read(asker, waitMs), policyFor(place)]);
      const refusal = refuseForm(actor);
      if (refusal || startsSomewhere(policy)) return refusal;
      const ruling = rulingOn(policyForActor(policy, actor), 'start');
      return denyByRule(ruling, 'starting runs', 'nothing was started');
    },
    /** Checks rules only, not the person's role. */
    async refusePlace(place: PolicyPlace): Decision {
      return denyByRule(
        rulingOn(await policyFor(place), 'start'),
        'starting runs',
        'nothing was started',
      );
    },
    /** Denies people who can't message any agent. */
    async refuseFollowUp(asker: RunViewer): Decision {
      return refuseFollowUp(await actors.read(asker, waitMs));
    },
    /** Limits of the creator, or of the workflow. *Try again* counts too. */
    async limitsOf(request: Pick<RunRequest, 'creatorId' | 'teamId' | 'channelId' | 'origin'>) {
      const { creatorId, teamId, channelId, origin } = request;
      const userId = origin?.workflow ? undefined : creatorId;
      return readLimits(await policyFor({ teamId, userId, channelId }));
    },
    /** Checks *Try again*, which starts the same run with its creator's keys. */
    async refuseTryAgain(request: KeyedRun, userId: string): Decision {
      const { teamId, channelId, config } = request;
      const [actor, read] = await Promise.all([
        actors.read({ teamId, userId }, waitMs),
        policyFor({ teamId, userId, channelId }),
      ]);
      const policy = policyForActor(read, actor);
      const refusal =
        refuseStart(actor, rulingOn(policy, 'start')) ??
        (await refuseChosen(policy, { teamId, config }))?.sentence;
      if (refusal) return refusal;
      const authorized = await authorizeKeys(request, userId, 'tryAgain');
      if ('authority' in authorized) return undefined;
      return `${authorized.refusal} To start your own, select *Run again with changes*.`;
    },
  };
}

const nobody: Actor = { role: 'unknown', isAdmin: false };

function readLimits(policy: PolicyCase): Admission {
  const activeRuns = rulingOn(policy, 'active_runs');
  const startsPerHour = rulingOn(policy, 'starts_per_hour');
  const unknown = [activeRuns, startsPerHour].find(({ isUnknown }) => isUnknown);
  return unknown
    ? { refusal: { sentence: uncheckedRuleSentence(unknown, 'nothing was started') } }
    : { activeRuns: limitOf(activeRuns), startsPerHour: limitOf(startsPerHour) };
}

const limitOf = ({ value, rule, ask }: Ruling<number>): OwnLimit | undefined =>
  value === undefined || !rule ? undefined : { most: value, rule: rule.name, ask };
