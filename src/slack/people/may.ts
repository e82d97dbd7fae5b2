/**
 * Who may do what. Every rule is a pure function of facts that gives the sentence for someone who may not, or undefined.
 * `rights.ts` reads the facts. What isn't known is refused. See docs/decisions/019-full-members-see-all-runs.md.
 */
import type { Scope } from '../../store/people/settings.ts';
import type { WhoMayCancel } from './who-may-cancel.ts';

/** `external`: of another workspace. `unknown`: Slack didn't say. */
export type Role = 'member' | 'guest' | 'external' | 'unknown';

export type Actor = { role: Role; isAdmin: boolean };

export type Refusal = string;
type Decision = Refusal | undefined;

const unknown = (effect: string) =>
  `Slack didn't say who you are, so ${effect}. Try again shortly.`;
const nothingChanged = unknown('nothing was changed');

/** An agent works with the team's own repositories and keys. */
export const refuseStart = ({ role }: Actor): Decision =>
  refuseOutsiders(role, 'start', 'nothing was started');

export const refuseSee = ({ role }: Actor): Decision =>
  refuseOutsiders(role, 'see', 'no runs are shown');

function refuseOutsiders(role: Role, verb: string, effect: string): Decision {
  switch (role) {
    case 'member':
      return undefined;
    case 'guest':
      return `Guests can't ${verb} agent runs. Ask a full member of this workspace.`;
    case 'external':
      return `Only members of the app's workspace can ${verb} agent runs. Ask one of them.`;
    case 'unknown':
      return unknown(effect);
  }
}

/** Anyone who can write in the thread of a run, as in any conversation. */
export function refuseFollowUp(_actor: Actor): Decision {
  return undefined;
}

export type CancelFacts = {
  creatorId: string;
  isCreator: boolean;
  /** Its creator may be the app itself, which can't press buttons. */
  isByWorkflow: boolean;
  setting: WhoMayCancel;
};

/** Also for stopping to follow. */
export function refuseCancel({ role, isAdmin }: Actor, facts: CancelFacts): Decision {
  const { creatorId, isCreator, isByWorkflow, setting } = facts;
  if (isCreator) return undefined;
  if (role === 'unknown') return nothingChanged;
  const isForAdmins = setting !== 'creator' || isByWorkflow;
  if (isForAdmins && isAdmin) return undefined;
  if (setting === 'anyone') {
    return role === 'member' ? undefined : 'Only members of this workspace can do that.';
  }
  return isForAdmins
    ? `Only <@${creatorId}>, who started this run, and workspace admins can do that.`
    : `Only <@${creatorId}> can do that. In this workspace, people can change only their own runs.`;
}

export function refuseSettings({ role, isAdmin }: Actor, scope: Scope): Decision {
  if (scope === 'person') return undefined;
  if (role === 'unknown') return nothingChanged;
  if (scope === 'workspace') {
    return isAdmin ? undefined : 'Only workspace admins can change workspace settings.';
  }
  return role === 'member'
    ? undefined
    : 'Only members of this workspace can change channel settings.';
}

export type PresetFacts = { scope: Scope; isMaker: boolean };

/** For saving, changing, sharing and deleting. Others in a channel rely on its presets. */
export function refusePreset({ role, isAdmin }: Actor, { scope, isMaker }: PresetFacts): Decision {
  if (scope === 'person') return undefined;
  if (role === 'unknown') return nothingChanged;
  if (isAdmin) return undefined;
  if (scope === 'workspace') {
    return 'Only workspace admins can save and change workspace presets. Save it for yourself or for the channel.';
  }
  if (role !== 'member') {
    return 'Only members of this workspace can save and change channel presets.';
  }
  return isMaker
    ? undefined
    : 'Only admins and the person who made this preset can change it. Use another name, or ask one of them.';
}
