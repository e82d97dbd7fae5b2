/**
 * Decides who can do what. Each function decides from given facts, which `rights.ts` reads. It returns a sentence for
 * people who can't, or else undefined. If a fact is missing, people can't. See
 * docs/decisions/014-seeing-follows-the-conversation.md.
 */

import type { Automation } from '../../automations/automation.ts';
import type { Ruling } from '../../policy/ruling.ts';
import { denyByRule, uncheckedRuleSentence } from '../../policy/ruling-sentences.ts';
import type { Scope } from '../../store/people/settings.ts';

/** Role in the app's workspace. `external` is a person of another workspace. `unknown` means that Slack didn't say. */
export type Role = 'member' | 'guest' | 'external' | 'bot' | 'deactivated' | 'unknown';

/** Role of a person, and if they're an admin. `isHidden` means that the app isn't allowed to see who people are. */
export type Actor = { role: Role; isAdmin: boolean; isHidden?: true };

export type Denial = string;
type Decision = Denial | undefined;

const unknownPerson = (effect: string, { isHidden }: Pick<Actor, 'isHidden'> = {}) =>
  isHidden
    ? `Slack doesn't let the app see who you are, so ${effect}. Ask a workspace admin to reinstall the app with the scope \`users:read\`.`
    : `Slack can't say who you are right now, so ${effect}. Try again.`;
const nothingChanged = unknownPerson('nothing was changed');

/** Denies everyone except full members, because agents work with the team's repositories and keys. */
function denyOthers(actor: Actor, act: string, effect: string): Decision {
  switch (actor.role) {
    case 'member':
      return undefined;
    case 'guest':
      return `Guests can't ${act}. Ask a full member of this workspace.`;
    case 'external':
      return `Only members of the app's workspace can ${act}. Ask one of them.`;
    case 'bot':
      return `Bots can't ${act}.`;
    case 'deactivated':
      return `Deactivated accounts can't ${act}.`;
    case 'unknown':
      return unknownPerson(effect, actor);
  }
}

export const denyStart = (actor: Actor, policy?: Ruling<boolean>): Decision =>
  denyOthers(actor, 'start agent runs', 'nothing was started') ??
  (policy && denyByRule(policy, 'starting runs', 'nothing was started'));

/** Decides if someone can start runs. The sentence is for an admin who asks about that person. */
export const denyStartOf = (actor: Actor): Decision =>
  actor.role === 'unknown' ? "Slack didn't say who this is. Try again shortly." : denyStart(actor);

/**
 * Decides if someone can open the form. Opening it starts nothing, so it's allowed while Slack can't say who someone
 * is. Searching and submitting don't work then.
 */
export const denyForm = (actor: Actor): Decision =>
  actor.role === 'unknown' ? undefined : denyStart(actor);

export const denySee = (actor: Actor): Decision =>
  actor.role === 'guest'
    ? "Guests can't see agent runs. Only full members of this workspace can."
    : denyOthers(actor, 'see agent runs', 'no runs are shown');

/** Decides if someone can use settings, presets and pickers. */
export const denyOpen = (actor: Actor): Decision =>
  denyOthers(actor, 'use this app', 'nothing was opened');

/**
 * Decides if someone can send follow-ups. Follow-ups need the same role as starts, because they give the agent
 * instructions.
 */
export const denyFollowUp = (actor: Actor): Decision =>
  denyOthers(actor, 'send messages to agents', 'nothing was sent');

type OtherFacts = {
  creatorId: string;
  isCreator: boolean;
  /** True if a workflow started the run. Its creator can be the app, which can't select buttons. */
  isByWorkflow: boolean;
  /** Decision of the rules on this act in other people's runs. */
  policy: Ruling<boolean>;
};

type AnswerFacts = OtherFacts & {
  /** People and groups that rules allow to answer, as mrkdwn. */
  named: readonly string[];
};

/**
 * Decides if someone can answer a run's question. Only people responsible for the run can, because an answer can give
 * the agent permissions.
 */
export function denyAnswer(actor: Actor, facts: AnswerFacts): Decision {
  const { creatorId, isCreator, isByWorkflow, policy, named } = facts;
  const denial = denyOthers(actor, 'answer agents', 'nothing was answered');
  if (denial || isCreator || policy.value || (isByWorkflow && actor.isAdmin)) return denial;
  if (policy.isUnknown) return uncheckedRuleSentence(policy, 'nothing was answered');
  const admins = isByWorkflow ? ['workspace admins'] : [];
  const others = [...named.slice(0, maxNamed), ...admins];
  const more = others.length > 0 ? ` and ${others.join(', ')}` : '';
  return `${blockedByText(policy)}Only <@${creatorId}>, who started this run,${more} can answer.`;
}

type SpendFacts = {
  isCreator: boolean;
  policy: Ruling<boolean>;
  /** People and groups that rules allow to approve spending, as mrkdwn. */
  named: readonly string[];
};

/**
 * Decides if someone can allow a run to spend more than a cap, or stop it there. Without a rule, only admins can. The
 * run's creator needs the permission, too.
 */
export function denySpend(actor: Actor, { isCreator, policy, named }: SpendFacts): Decision {
  const denial = denyOthers(actor, 'approve spending', 'nothing was answered');
  if (denial) return denial;
  if (policy.isUnknown) return uncheckedRuleSentence(policy, 'nothing was answered');
  if (policy.value ?? actor.isAdmin) return undefined;
  const who = [...named.slice(0, maxNamed), ...(policy.rule ? [] : ['a workspace admin'])];
  const next =
    who.length === 0
      ? orChangeFirst(policy.ask)
      : `You can't approve spending here. Ask ${alternatives.format(who)}.`;
  const cancel = isCreator ? ' To stop your run, select *Cancel* in the run message.' : '';
  return `${blockedByText(policy)}${next}${cancel}`;
}

const alternatives = new Intl.ListFormat('en', { type: 'disjunction' });

const orChangeFirst = (ask: string | undefined) =>
  ask === undefined ? 'Change the rule in Workspace settings.' : `Ask ${ask} to change the rule.`;

const blockedByText = ({ rule }: Ruling<boolean>) =>
  rule ? `The rule "${rule.name}" blocks this. ` : '';

const maxNamed = 20;

type WorkflowFacts = {
  /** Person that the workflow step names, if any. */
  person: Actor | undefined;
  start: Ruling<boolean>;
  workflows: Ruling<boolean>;
};

/**
 * Decides if a workflow step can start a run, which only a rule can allow. Anyone can build a workflow that names
 * someone else, and Slack doesn't say who built or started it. The named person is only shown and notified.
 */
export function denyWorkflowStart({ person, start, workflows }: WorkflowFacts): Decision {
  const effect = 'nothing was started';
  if (person?.role === 'unknown') {
    return "Slack didn't say who the person of this step is, so nothing was started. Run the workflow again shortly.";
  }
  if (person && person.role !== 'member')
    return 'The person of this step must be an active full member of this workspace.';
  const denial = denyByRule(start, 'starting runs', effect);
  if (denial || workflows.value) return denial;
  if (workflows.isUnknown) return uncheckedRuleSentence(workflows, effect);
  return `Workflows can't start runs here without a rule that allows it. Ask ${workflows.ask ?? 'a workspace admin'} to add one.`;
}

/** Actions that use a run's keys, with the texts for their denials. */
export const keyedActs = {
  message: { act: 'message it', effect: 'nothing was sent' },
  answer: { act: 'answer its questions', effect: 'nothing was answered' },
  tryAgain: { act: 'try it again', effect: 'nothing was started' },
  publish: { act: 'publish its changes', effect: 'nothing was changed' },
} as const;
export type KeyedAct = keyof typeof keyedActs;

/** Returns the sentence for people who can't use the creator's keys. */
export function denyKeys(
  denied: 'keys' | 'unknown',
  wanted: KeyedAct,
  { creatorId, rule }: { creatorId: string; rule: Ruling<boolean> },
): Denial {
  const { act, effect } = keyedActs[wanted];
  if (denied === 'unknown') return uncheckedRuleSentence(rule, effect);
  return `${blockedByText(rule)}This run uses <@${creatorId}>'s keys, so only they can ${act}.`;
}

/** Decides if someone can cancel or unfollow a run. Without a rule, the creator and admins can. */
export function denyCancel({ role, isAdmin }: Actor, facts: OtherFacts): Decision {
  const { creatorId, isCreator, isByWorkflow, policy } = facts;
  if (isCreator) return undefined;
  if (role === 'unknown') return nothingChanged;
  if (isAdmin && isByWorkflow) return undefined;
  if (policy.isUnknown) return uncheckedRuleSentence(policy, 'nothing was changed');
  if (policy.value)
    return role === 'member' ? undefined : 'Only members of this workspace can do that.';
  const isForAdmins = policy.value === undefined || isByWorkflow;
  if (isAdmin && isForAdmins) return undefined;
  return isForAdmins
    ? `Only <@${creatorId}>, who started this run, and workspace admins can do that.`
    : `${blockedByText(policy)}Only <@${creatorId}>, who started this run, can do that.`;
}

/**
 * Decides if someone can publish changes or act on the pull request. Only full members can, because changes leave the
 * workspace.
 */
export const denyPublish = (actor: Actor, facts: OtherFacts): Decision =>
  denyOthers(actor, 'publish changes', 'nothing was changed') ?? denyCancel(actor, facts);

export function denySettings({ role, isAdmin }: Actor, scope: Scope): Decision {
  if (scope === 'person') return undefined;
  if (role === 'unknown') return nothingChanged;
  if (scope === 'workspace') {
    return isAdmin ? undefined : 'Only workspace admins can change workspace settings.';
  }
  return role === 'member'
    ? undefined
    : 'Only members of this workspace can change channel settings.';
}

/**
 * Denies everyone except workspace admins.
 * @param act such as "read the audit log"
 */
export function denyAllButAdmins(actor: Actor, act: string): Decision {
  if (actor.role === 'unknown') return unknownPerson('nothing is shown', actor);
  return actor.isAdmin ? undefined : `Only workspace admins can ${act}.`;
}

/** Acts on an automation, completing "can …". */
export const automationActs = {
  edit: 'edit it',
  test: 'test it',
  replaceSecret: 'replace its secret',
  pause: 'pause it',
  resume: 'resume it',
  remove: 'delete it',
  takeOver: 'take it over',
} as const;
export type AutomationAct = keyof typeof automationActs;

/**
 * Acts of admins on automations that they don't own. They give nobody the owner's keys and permissions, so only the
 * owner resumes what the owner paused.
 */
const actsOfAdmins: readonly AutomationAct[] = ['pause', 'resume', 'remove', 'takeOver'];
const stoppingActs: readonly AutomationAct[] = ['pause', 'remove'];

type AutomationFacts = Pick<Automation, 'ownerId' | 'pause'> & {
  isOwner: boolean;
  act: AutomationAct;
};

/** Returns true if only the owner can resume an automation. */
export const isPausedByOwner = ({ ownerId, pause }: Pick<Automation, 'ownerId' | 'pause'>) =>
  pause?.by === ownerId;

/** Decides if someone can change an automation that they see. Owners can always stop their own. */
export function denyAutomation(
  actor: Actor,
  { ownerId, pause, isOwner, act }: AutomationFacts,
): Decision {
  if (isOwner && act === 'takeOver') return 'You own this automation already.';
  if (isOwner && stoppingActs.includes(act)) return undefined;
  if (isOwner) return denyOthers(actor, 'own automations', 'nothing was changed');
  if (actor.role === 'unknown') return nothingChanged;
  const isForOwner = act === 'resume' && isPausedByOwner({ ownerId, pause });
  const isForAdmins = actsOfAdmins.includes(act) && !isForOwner;
  if (actor.isAdmin && isForAdmins) return undefined;
  if (act === 'takeOver') return 'Only workspace admins can take over automations.';
  const admins = isForAdmins ? ', and workspace admins' : '';
  const instead = actor.isAdmin ? ' You can take it over.' : '';
  const did = isForOwner ? 'paused' : 'owns';
  return `Only <@${ownerId}>, who ${did} this automation${admins}${isForAdmins ? '' : ','} can ${automationActs[act]}.${instead}`;
}

export type PresetFacts = { scope: Scope; isMaker: boolean };

/** Decides if someone can save, change, share or delete a preset. Others in a channel rely on its presets. */
export function denyPreset({ role, isAdmin }: Actor, { scope, isMaker }: PresetFacts): Decision {
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
