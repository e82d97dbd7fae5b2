/** Renders *Check permissions*, which lists a person's permissions in a channel, and the rule for each. */
import type { KnownBlock, ModalView } from '@slack/types';
import { permissionNames, type Subject } from '../../policy/policy.ts';
import { type PolicyCase, rulingOn } from '../../policy/ruling.ts';
import { context, input, modal, plain, section } from '../text/blocks.ts';
import { channelInput, type FormState, readFormValue } from '../text/form-inputs.ts';
import { ruleIds, subjectLabels, valueText } from './rules-view.ts';

type PersonRights = {
  userId: string;
  channelId: string;
  /** Reason why the person can do nothing at all, such as being a guest. */
  denial: string | undefined;
  isAdmin: boolean;
  policy: PolicyCase;
};

export function renderPersonView(shown?: PersonRights): ModalView {
  return modal({
    callbackId: ruleIds.answer,
    title: 'Check permissions',
    submit: 'Show',
    close: 'Back',
    blocks: [
      input(
        { blockId: 'person', label: 'Person' },
        {
          type: 'users_select',
          action_id: 'value',
          placeholder: plain('Choose a person', 150),
          ...(shown && { initial_user: shown.userId }),
        },
      ),
      channelInput({ blockId: 'channel', label: 'Channel', channelId: shown?.channelId }),
      ...(shown ? renderRights(shown) : []),
    ],
  });
}

export function readPersonView(state: FormState) {
  return {
    userId: readFormValue(state, 'person') ?? '',
    channelId: readFormValue(state, 'channel') ?? '',
  };
}

const subjects = Object.keys(subjectLabels) as Subject[];
const isPermission = (subject: Subject) => (permissionNames as readonly string[]).includes(subject);
const permissions = subjects.filter(isPermission);
const choices = subjects.filter((subject) => !isPermission(subject));

const lines = (shown: PersonRights, listed: readonly Subject[]): string[] =>
  listed.map((subject) => line(shown, subject));

function renderRights(shown: PersonRights): KnownBlock[] {
  const { userId, channelId, denial, policy } = shown;
  const place = channelId.startsWith('D') ? 'this direct message' : `<#${channelId}>`;
  const title = `*<@${userId}> in ${place}*`;
  if (denial) return [section(`${title}\n❌ ${denial}`)];
  return [
    section([title, ...unknownFacts(shown), ...lines(shown, permissions)].join('\n')),
    section(lines(shown, choices).join('\n')),
    context(
      `People can always cancel their own runs, answer the agent (except about spending), and publish the changes.${policy.ask === undefined ? '' : ` To change a rule, ask ${policy.ask}.`}`,
    ),
  ];
}

/** Says once for all lines what Slack didn't say, and what to do. */
function unknownFacts({ userId, policy }: PersonRights): string[] {
  const facts = subjects.flatMap((subject) => {
    const { rule, isUnknown, isHidden } = rulingOn(policy, subject);
    if (!isUnknown) return [];
    if (isHidden)
      return "Slack doesn't let the app see user groups. Reinstall the app with the scope `usergroups:read`.";
    return rule?.groups
      ? `Slack didn't say which user groups <@${userId}> is in. Try again in a minute. If it stays, remove groups that no longer exist from the rule.`
      : "Slack didn't say what type of conversation this is. Try again in a minute.";
  });
  return [...new Set(facts)].map((fact) => `⚠️ ${fact}`);
}

function line({ policy, isAdmin }: PersonRights, subject: Subject): string {
  const { rule, value, isUnknown } = rulingOn(policy, subject);
  const label = subjectLabels[subject];
  if (isUnknown) return `❔ ${label}: *unknown* (rule "${rule?.name}")`;
  const applied = value ?? byDefault(subject, isAdmin);
  const sign = applied === true ? '✅' : applied === false ? '❌' : '•';
  const words = applied === undefined ? unlimited(subject) : valueText(subject, applied);
  return `${sign} ${label}: *${words}* (${rule ? `rule "${rule.name}"` : 'default'})`;
}

function unlimited(subject: Subject): string {
  if (subject.endsWith('_cap')) return 'no cap';
  return subject === 'active_runs' || subject.endsWith('starts_per_hour') ? 'no limit' : 'all';
}

/**
 * Returns true if the person can do this without a rule. Returns undefined for choices and limits, which only rules
 * restrict.
 */
function byDefault(subject: Subject, isAdmin: boolean): boolean | undefined {
  switch (subject) {
    case 'start':
    case 'mcp_servers':
      return true;
    case 'answer':
    case 'borrow_keys':
    case 'workflows':
      return false;
    case 'cancel':
    case 'publish':
    case 'merge':
    case 'spend':
      return isAdmin;
    case 'environments':
    case 'models':
    case 'connections':
    case 'active_runs':
    case 'starts_per_hour':
    case 'automations':
    case 'automation_starts_per_hour':
    case 'run_cap':
    case 'person_cap':
    case 'channel_cap':
    case 'group_cap':
    case 'environment_cap':
    case 'workspace_cap':
      return undefined;
  }
}
