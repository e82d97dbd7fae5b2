/** Decides who can start runs, by role, rules and the chosen configuration. */
import type { AgentConfig } from 'runs-client/contract';
import { type RuleLimits, ruleLimits } from '../../policy/rule-caps.ts';
import {
  type PolicyCase,
  policyForActor,
  type Ruling,
  rulingOn,
  startsSomewhere,
} from '../../policy/ruling.ts';
import {
  type ConfigDenial,
  denyByRule,
  denyConfig,
  denyServers,
  uncheckedRuleSentence,
} from '../../policy/ruling-sentences.ts';
import { type Authority, ownAuthority } from '../../requests/authority.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Actors } from './actors.ts';
import type { KeyedRun, KeyRights, McpServerReader } from './key-rights.ts';
import {
  type Actor,
  type Denial,
  denyFollowUp,
  denyForm,
  denyStart,
  denyWorkflowStart,
} from './permissions.ts';
import type { PolicyPlace } from './policies.ts';

type Decision = Promise<Denial | undefined>;
type InPlace = RunViewer & { channelId?: string | undefined };
export type Start = {
  teamId: string;
  authority: Authority;
  channelId: string;
  config: AgentConfig;
  /** Workflow step that starts the run, with the ID of the person that it names. Undefined for other starts. */
  workflow?: { personId: string | undefined } | undefined;
};

/** Limit that a rule sets for one person. */
export type OwnLimit = { most: number; rule: string; ask: string | undefined };
export type Admission =
  | { denial: { sentence: Denial; field?: ConfigDenial['field'] } }
  | {
      activeRuns: OwnLimit | undefined;
      startsPerHour: OwnLimit | undefined;
      /** Caps of the run, and the models that it can use. */
      limits: RuleLimits;
    };

export function createStartRights(deps: {
  actors: Actors;
  policyFor(place: PolicyPlace): Promise<PolicyCase>;
  servers: McpServerReader;
  authorizeKeys: KeyRights['authorizeKeys'];
  waitMs: number | undefined;
}) {
  const { actors, policyFor, servers, authorizeKeys, waitMs } = deps;
  async function denyChosen(
    policy: PolicyCase,
    { teamId, config }: Pick<Start, 'teamId' | 'config'>,
  ) {
    const own = config.mcp_servers && (await servers.ofWorkspace(teamId));
    return denyConfig(policy, config) ?? denyServers(policy, config.mcp_servers, own);
  }

  /**
   * Checks if a run can be started. Returns a denial, or the limits of the person. `lookupWaitMs` limits the wait for
   * the person's role instead of `waitMs`.
   */
  async function admit(start: Start, lookupWaitMs = waitMs): Promise<Admission> {
    const { teamId, channelId, authority, workflow } = start;
    const personId = workflow ? workflow.personId : authority.actorId;
    const [person, read] = await Promise.all([
      personId ? actors.read({ teamId, userId: personId }, lookupWaitMs) : undefined,
      // Leave out the person for a workflow, because rules for people don't apply to it.
      policyFor({ teamId, userId: authority.keysOf ?? undefined, channelId }),
    ]);
    // Don't name the workflow's person in a denial, because someone else reads it.
    const policy = workflow ? read : policyForActor(read, person ?? nobody);
    const ruling = rulingOn(policy, 'start');
    const workflows = rulingOn(policy, 'workflows');
    const sentence = workflow
      ? denyWorkflowStart({ person, start: ruling, workflows })
      : denyStart(person ?? nobody, ruling);
    const denial = sentence ? { sentence } : await denyChosen(policy, start);
    return denial ? { denial } : readLimits(policy, start.config);
  }

  return {
    admit,
    /** Denies a start that the person's role, the rules or the configuration don't allow. Doesn't check limits. */
    async denyConfigured({
      userId,
      ...start
    }: Omit<Start, 'workflow' | 'authority'> & { userId: string }): Decision {
      const admission = await admit({ ...start, authority: ownAuthority(userId) });
      return 'denial' in admission ? admission.denial.sentence : undefined;
    },
    async denyStart(asker: InPlace): Decision {
      const { teamId, userId, channelId } = asker;
      const [actor, policy] = await Promise.all([
        actors.read(asker, waitMs),
        policyFor({ teamId, userId, channelId }),
      ]);
      return denyStart(actor, rulingOn(policyForActor(policy, actor), 'start'));
    },
    /** Denies people who can't start runs anywhere. */
    async denyForm(asker: RunViewer): Decision {
      const place = { teamId: asker.teamId, userId: asker.userId, channelId: undefined };
      const [actor, policy] = await Promise.all([actors.read(asker, waitMs), policyFor(place)]);
      const denial = denyForm(actor);
      if (denial || startsSomewhere(policy)) return denial;
      const ruling = rulingOn(policyForActor(policy, actor), 'start');
      return denyByRule(ruling, 'starting runs', 'nothing was started');
    },
    /** Denies a start that a rule blocks in this channel. Doesn't check the person's role. */
    async denyPlace(place: PolicyPlace): Decision {
      return denyByRule(
        rulingOn(await policyFor(place), 'start'),
        'starting runs',
        'nothing was started',
      );
    },
    /** Denies people who can't message any agent. */
    async denyFollowUp(asker: RunViewer): Decision {
      return denyFollowUp(await actors.read(asker, waitMs));
    },
    /** Returns the limits that rules set for the request's creator or workflow. They apply to *Try again*. */
    async limitsOf(request: Limited) {
      const { creatorId, teamId, channelId, origin, config } = request;
      const userId = origin?.workflow ? undefined : creatorId;
      return readLimits(await policyFor({ teamId, userId, channelId }), config);
    },
    /** Decides if someone can use *Try again*, which starts the same run with its creator's keys. */
    async denyTryAgain(request: KeyedRun, userId: string): Decision {
      const { teamId, channelId, config } = request;
      const [actor, read] = await Promise.all([
        actors.read({ teamId, userId }, waitMs),
        policyFor({ teamId, userId, channelId }),
      ]);
      const policy = policyForActor(read, actor);
      const denial =
        denyStart(actor, rulingOn(policy, 'start')) ??
        (await denyChosen(policy, { teamId, config }))?.sentence;
      if (denial) return denial;
      const authorized = await authorizeKeys(request, userId, 'tryAgain');
      if ('authority' in authorized) return undefined;
      return `${authorized.denial} To start your own, select *Run again with changes*.`;
    },
  };
}

const nobody: Actor = { role: 'unknown', isAdmin: false };

type Limited = Pick<RunRequest, 'creatorId' | 'teamId' | 'channelId' | 'origin' | 'config'>;

function readLimits(policy: PolicyCase, { model_id: modelId }: AgentConfig): Admission {
  const activeRuns = rulingOn(policy, 'active_runs');
  const startsPerHour = rulingOn(policy, 'starts_per_hour');
  const spending = ruleLimits(policy, modelId);
  const unknown =
    [activeRuns, startsPerHour].find(({ isUnknown }) => isUnknown) ?? spending.unchecked;
  if (unknown)
    return { denial: { sentence: uncheckedRuleSentence(unknown, 'nothing was started') } };
  return {
    activeRuns: limitOf(activeRuns),
    startsPerHour: limitOf(startsPerHour),
    limits: spending.limits,
  };
}

const limitOf = ({ value, rule, ask }: Ruling<number>): OwnLimit | undefined =>
  value === undefined || !rule ? undefined : { most: value, rule: rule.name, ask };
