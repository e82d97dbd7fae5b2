/** Reads the facts that `may.ts` decides on. */
import type { Logger } from '../../lib/logger.ts';
import { withSoftTimeout } from '../../lib/soft-timeout.ts';
import type { Scope, Settings } from '../../store/people/settings.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { hasKeyedServers } from '../secrets/keyed-servers.ts';
import {
  type Actor,
  type Refusal,
  refuseAnswer,
  refuseAudit,
  refuseCancel,
  refuseDoctor,
  refuseFollowUp,
  refuseForm,
  refuseOpen,
  refusePreset,
  refusePublish,
  refuseSee,
  refuseSettings,
  refuseStart,
  refuseTryAgain,
  refuseWorkflowStart,
} from './may.ts';
import { createMemberMemory } from './member-memory.ts';
import type { People, Person } from './people.ts';
import type { UserGroups } from './user-groups.ts';
import { answererNames, readAnswerers } from './who-may-answer.ts';
import { readWhoMayCancel } from './who-may-cancel.ts';
import { workflowsStartAnywhere, workspaceOwner } from './workflow-starts.ts';

type Decision = Promise<Refusal | undefined>;
type Cancelled = Pick<RunRequest, 'creatorId' | 'teamId' | 'origin'> & { id?: string };
type Asked = Cancelled & Pick<RunRequest, 'channelId'>;
type WorkflowStart = { teamId: string; personId: string | undefined; isPublic: boolean };
type Repeated = Pick<RunRequest, 'creatorId' | 'teamId' | 'config'> & { id?: string };

type RightsParts = {
  people: Pick<People, 'find' | 'findNow' | 'recallRecent'> & {
    groups: Pick<UserGroups, 'isInOne'>;
  };
  settings: Pick<Settings, 'read' | 'write'>;
  logger: Logger;
};

export type Rights = ReturnType<typeof createRights>;

/** `waitMs`, for an acknowledgement, is how long Slack may take to say who the person is. */
export function createRights({ people, ...parts }: RightsParts) {
  const { settings } = parts;
  const memory = createMemberMemory(parts);

  /** While Slack doesn't answer, what it said within the last day counts. */
  async function readActor(asker: RunViewer, waitMs?: number): Promise<Actor> {
    const { teamId, userId } = asker;
    const person = await answerOf(people.find(userId), waitMs);
    const actor = actorOf(person ?? people.recallRecent(userId), teamId);
    if (actor.role !== 'unknown') memory.note(asker, actor.role);
    else if (await memory.wasMember(asker)) return { role: 'member', isAdmin: false };
    return actor;
  }

  async function readActorNow({ teamId, userId }: RunViewer, waitMs?: number): Promise<Actor> {
    return actorOf(await answerOf(people.findNow(userId), waitMs), teamId);
  }

  return {
    async refuseStart(asker: RunViewer, waitMs?: number): Decision {
      return refuseStart(await readActor(asker, waitMs));
    },
    async refuseForm(asker: RunViewer, waitMs?: number): Decision {
      return refuseForm(await readActor(asker, waitMs));
    },
    async refuseSee(asker: RunViewer, waitMs?: number): Decision {
      return refuseSee(await readActor(asker, waitMs));
    },
    async refuseOpen(asker: RunViewer, waitMs?: number): Decision {
      return refuseOpen(await readActor(asker, waitMs));
    },
    async refuseFollowUp(asker: RunViewer): Decision {
      return refuseFollowUp(await readActor(asker));
    },
    async refuseAnswer(request: Asked, userId: string, waitMs?: number): Decision {
      const { creatorId, teamId, origin } = request;
      const asker = { teamId, userId };
      const isCreator = userId === creatorId;
      const [actor, setting] = await Promise.all([
        isCreator ? readActor(asker, waitMs) : readActorNow(asker, waitMs),
        readAnswerers(settings, request),
      ]);
      const isNamed =
        !isCreator &&
        (setting.people.includes(userId) || (await people.groups.isInOne(setting.groups, userId)));
      const isByWorkflow = origin?.kind === 'workflow';
      const named = answererNames(setting);
      return refuseAnswer(actor, { creatorId, isCreator, isNamed, isByWorkflow, named });
    },
    async refuseTryAgain({ creatorId, teamId, config }: Repeated, userId: string): Decision {
      const facts = {
        creatorId,
        isCreator: userId === creatorId,
        hasKeys: hasKeyedServers(config),
      };
      return refuseTryAgain(await readActor({ teamId, userId }), facts);
    },
    /** `personId`: whom the step names. */
    async refuseWorkflowStart({ teamId, personId, isPublic }: WorkflowStart): Decision {
      const [person, isAllowedAnywhere] = await Promise.all([
        personId ? readActor({ teamId, userId: personId }) : undefined,
        workflowsStartAnywhere.read(settings, workspaceOwner(teamId)),
      ]);
      return refuseWorkflowStart({ person, isPublic, isAllowedAnywhere });
    },
    async refuseCancel({ creatorId, teamId, origin }: Cancelled, userId: string): Decision {
      if (userId === creatorId) return undefined;
      return refuseCancel(await readActorNow({ teamId, userId }), {
        creatorId,
        isCreator: false,
        isByWorkflow: origin?.kind === 'workflow',
        setting: await readWhoMayCancel(settings, teamId),
      });
    },
    async refusePublish(
      { creatorId, teamId, origin }: Cancelled,
      userId: string,
      { isMerge, waitMs }: { isMerge: boolean; waitMs?: number | undefined },
    ): Decision {
      return refusePublish(await readActorNow({ teamId, userId }, waitMs), {
        ...{ creatorId, isMerge, isCreator: userId === creatorId },
        isByWorkflow: origin?.kind === 'workflow',
        setting: await readWhoMayCancel(settings, teamId),
      });
    },
    /** Whether a list offers this person to cancel other people's runs. `refuseCancel` decides when they do. */
    async offersCancel(teamId: string, person: Person | undefined): Promise<boolean> {
      const setting = await readWhoMayCancel(settings, teamId);
      const facts = { creatorId: '', isCreator: false, isByWorkflow: false, setting };
      return refuseCancel(actorOf(person, teamId), facts) === undefined;
    },
    async refuseSettings(asker: RunViewer, scope: Scope, waitMs?: number): Decision {
      if (scope === 'person') return undefined;
      return refuseSettings(await readActorNow(asker, waitMs), scope);
    },
    async refuseAudit(asker: RunViewer): Decision {
      return refuseAudit(await readActorNow(asker));
    },
    async refuseDoctor(asker: RunViewer): Decision {
      return refuseDoctor(await readActorNow(asker));
    },
    async refusePreset(
      asker: RunViewer,
      { scope, makerId }: { scope: Scope; makerId?: string | undefined },
      waitMs?: number,
    ): Decision {
      if (scope === 'person') return undefined;
      const actor = await readActorNow(asker, waitMs);
      return refusePreset(actor, { scope, isMaker: makerId === asker.userId });
    },
  };
}

async function answerOf(found: Promise<Person>, waitMs?: number): Promise<Person | undefined> {
  try {
    return await (waitMs === undefined ? found : withSoftTimeout(found, waitMs));
  } catch (error) {
    readSlackFailure(error);
    return undefined;
  }
}

function actorOf(person: Person | undefined, teamId: string): Actor {
  if (!person) return { role: 'unknown', isAdmin: false };
  const { role, isAdmin, teamIds } = person;
  if (teamIds.includes(teamId)) return { role, isAdmin: isAdmin && role === 'member' };
  return { role: 'external', isAdmin: false };
}
