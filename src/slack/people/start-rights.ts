/** Who may start runs, and command them as a start does: role, policy, and what they choose. */
import type { AgentConfig } from 'runs-client/contract';
import { type PolicyCase, type Ruling, rulingOn, startsSomewhere } from '../../policy/ruling.ts';
import {
  type ConfigRefusal,
  notKnown,
  refuseByRule,
  refuseConfig,
  refuseServers,
} from '../../policy/ruling-sentences.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { ownerOf, runDefaults } from '../configuration/run-defaults.ts';
import { hasKeyedServers } from '../secrets/keyed-servers.ts';
import type { Actors } from './actors.ts';
import {
  type Actor,
  type Refusal,
  refuseFollowUp,
  refuseForm,
  refuseStart,
  refuseTryAgain,
  refuseWorkflowStart,
} from './may.ts';
import type { PolicyPlace } from './policies.ts';

type Decision = Promise<Refusal | undefined>;
type InPlace = RunViewer & { channelId?: string | undefined };
type Repeated = Pick<RunRequest, 'creatorId' | 'teamId' | 'channelId' | 'config'> & { id?: string };

export type Start = {
  teamId: string;
  userId: string;
  channelId: string;
  config: AgentConfig;
  /** `personId`: whom its step names. */
  workflow?: { personId: string | undefined; isPublic: boolean } | undefined;
};

/** What a rule allows one person. */
export type OwnLimit = { most: number; rule: string; ask: string };
export type Admission =
  | { refusal: { sentence: Refusal; field?: ConfigRefusal['field'] } }
  | { activeRuns: OwnLimit | undefined; startsPerHour: OwnLimit | undefined };

type StartRightsParts = {
  actors: Actors;
  policyFor(place: PolicyPlace): Promise<PolicyCase>;
  settings: Pick<Settings, 'read'>;
  waitMs: number | undefined;
};

export function createStartRights({ actors, policyFor, settings, waitMs }: StartRightsParts) {
  async function refuseChosen(
    policy: PolicyCase,
    { teamId, config }: Pick<Start, 'teamId' | 'config'>,
  ) {
    const owner = ownerOf('workspace', { teamId });
    const own = config.mcp_servers && (await runDefaults.read(settings, owner)).mcp_servers;
    return refuseConfig(policy, config) ?? refuseServers(policy, config.mcp_servers, own);
  }

  /** Everything that a start needs. `lookupWaitMs`: for who the person is, if Slack was just asked. */
  async function admit(start: Start, lookupWaitMs = waitMs): Promise<Admission> {
    const { teamId, channelId, workflow } = start;
    const userId = workflow ? workflow.personId : start.userId;
    const [person, policy] = await Promise.all([
      userId ? actors.read({ teamId, userId }, lookupWaitMs) : undefined,
      policyFor({ teamId, userId, channelId }),
    ]);
    const ruling = rulingOn(policy, 'start');
    const anywhere = rulingOn(policy, 'workflows');
    const sentence = workflow
      ? refuseWorkflowStart({ person, isPublic: workflow.isPublic, start: ruling, anywhere })
      : refuseStart(person ?? nobody, ruling);
    const refusal = sentence ? { sentence } : await refuseChosen(policy, start);
    return refusal ? { refusal } : readLimits(policy);
  }

  return {
    admit,
    /** Why a person's start with this configuration would be refused. Limits aren't counted. */
    async refuseConfigured(start: Omit<Start, 'workflow'>): Decision {
      const admission = await admit(start);
      return 'refusal' in admission ? admission.refusal.sentence : undefined;
    },
    async refuseStart(asker: InPlace): Decision {
      const { teamId, userId, channelId } = asker;
      const [actor, policy] = await Promise.all([
        actors.read(asker, waitMs),
        policyFor({ teamId, userId, channelId }),
      ]);
      return refuseStart(actor, rulingOn(policy, 'start'));
    },
    /** Refuses people who may start nowhere. */
    async refuseForm(asker: RunViewer): Decision {
      const place = { teamId: asker.teamId, userId: asker.userId, channelId: undefined };
      const [actor, policy] = await Promise.all([actors.read(asker, waitMs), policyFor(place)]);
      const refusal = refuseForm(actor);
      if (refusal || startsSomewhere(policy)) return refusal;
      return refuseByRule(rulingOn(policy, 'start'), 'start runs', 'nothing was started');
    },
    /** By the rules alone. */
    async refusePlace(place: PolicyPlace): Decision {
      return refuseByRule(
        rulingOn(await policyFor(place), 'start'),
        'start runs',
        'nothing was started',
      );
    },
    /** Without a run, whether someone may write to agents at all. */
    async refuseFollowUp(
      asker: RunViewer,
      run?: Pick<RunRequest, 'channelId' | 'config'>,
    ): Decision {
      const refusal = refuseFollowUp(await actors.read(asker, waitMs));
      if (refusal || !run) return refusal;
      const { teamId, userId } = asker;
      const policy = await policyFor({ teamId, userId, channelId: run.channelId });
      const [act, effect] = ['send messages to agents', 'nothing was sent'];
      return (
        refuseByRule(rulingOn(policy, 'start'), act, effect) ??
        refuseConfig(policy, run.config, effect)?.sentence
      );
    },
    /** Of the person who asked for a run, or of its workflow: *Try again* counts too. */
    async limitsOf(request: Pick<RunRequest, 'creatorId' | 'teamId' | 'channelId' | 'origin'>) {
      const { creatorId, teamId, channelId, origin } = request;
      const userId = origin?.workflow?.hasPerson === false ? undefined : creatorId;
      return readLimits(await policyFor({ teamId, userId, channelId }));
    },
    async refuseTryAgain(request: Repeated, userId: string): Decision {
      const { creatorId, teamId, channelId, config } = request;
      const [actor, policy] = await Promise.all([
        actors.read({ teamId, userId }, waitMs),
        policyFor({ teamId, userId, channelId }),
      ]);
      const isCreator = userId === creatorId;
      const facts = { creatorId, isCreator, hasKeys: hasKeyedServers(config) };
      return (
        refuseTryAgain(actor, facts, rulingOn(policy, 'start')) ??
        (await refuseChosen(policy, { teamId, config }))?.sentence
      );
    },
  };
}

const nobody: Actor = { role: 'unknown', isAdmin: false };

function readLimits(policy: PolicyCase): Admission {
  const activeRuns = rulingOn(policy, 'active_runs');
  const startsPerHour = rulingOn(policy, 'starts_per_hour');
  const unknown = [activeRuns, startsPerHour].find(({ isUnknown }) => isUnknown);
  return unknown
    ? { refusal: { sentence: notKnown(unknown, 'nothing was started') } }
    : { activeRuns: limitOf(activeRuns), startsPerHour: limitOf(startsPerHour) };
}

const limitOf = ({ value, rule, ask }: Ruling<number>): OwnLimit | undefined =>
  value === undefined || !rule ? undefined : { most: value, rule: rule.name, ask };
