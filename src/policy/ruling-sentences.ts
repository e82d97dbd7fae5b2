/** Explains which rule blocks something, and who can change it. Plain text, because forms don't render markup. */
import { isDeepStrictEqual } from 'node:util';
import type { AgentConfig } from 'runs-client/contract';
import type { TriggerKind } from '../automations/automation.ts';
import { defaultChoice } from './policy.ts';
import { isForPlaces, type PolicyCase, type Ruling, rulingOn } from './ruling.ts';

type Denial = string;

/**
 * Explains that the app couldn't check a rule.
 * @param effect result of the denial, such as "nothing was started"
 */
export const uncheckedRuleSentence = (
  { rule, isHidden, ask }: Ruling<unknown>,
  effect: string,
): Denial =>
  isHidden
    ? `The rule "${rule?.name}" names a user group, and Slack doesn't let the app see groups, so ${effect}. ${ask === undefined ? 'Reinstall' : `Ask ${ask} to reinstall`} the app with the scope usergroups:read.`
    : `Slack didn't say if the rule "${rule?.name}" applies to you, so ${effect}. Try again shortly, or ${orChange(ask)}.`;

/** Completes "Choose another one, or …" with the way to change the rule. */
export const orChange = (ask: string | undefined): string =>
  ask === undefined ? 'change the rule in Workspace settings' : `ask ${ask} to change the rule`;

/**
 * Returns the reason if a rule blocks an action, or if the app can't check the rule. Undefined if the action is
 * allowed.
 * @param act such as "starting runs"
 */
export function denyByRule(
  ruling: Ruling<boolean>,
  act: string,
  effect: string,
): Denial | undefined {
  const { rule, value, isUnknown, ask } = ruling;
  if (isUnknown) return uncheckedRuleSentence(ruling, effect);
  if (value !== false || !rule) return undefined;
  const where = isForPlaces(rule) ? ' here' : '';
  const todo = ask === undefined ? 'Change it in Workspace settings.' : `Ask ${ask} to change it.`;
  return `The rule "${rule.name}" blocks ${act}${where}. ${todo}`;
}

/** Returns the reason if a rule doesn't let this person own automations with this trigger. */
export function denyTrigger(
  policy: PolicyCase,
  trigger: TriggerKind,
  effect: string,
): Denial | undefined {
  const ruling = rulingOn(policy, 'automations');
  if (ruling.isUnknown) return uncheckedRuleSentence(ruling, effect);
  const { value: allowed, rule, ask } = ruling;
  if (!allowed || allowed.includes(trigger)) return undefined;
  if (allowed.length === 0) return denyByRule({ ...ruling, value: false }, 'automations', effect);
  const which = allowed.length === 1 ? 'the trigger' : 'these triggers:';
  const choose = allowed.length === 1 ? 'it' : 'one of them';
  return `The rule "${rule?.name}" only allows automations with ${which} ${allowed.join(', ')}. Choose ${choose}, or ${orChange(ask)}.`;
}

const maxListed = 10;

export type ConfigDenial = {
  sentence: Denial;
  field: 'connection' | 'environment_id' | 'model_id' | 'mcp_servers';
};

const listed = [
  { subject: 'connections', field: 'connection', noun: 'connection' },
  { subject: 'environments', field: 'environment_id', noun: 'environment' },
  { subject: 'models', field: 'model_id', noun: 'model' },
] as const;

/** Returns the reason if a rule doesn't allow the chosen connection, environment or model. */
export function denyConfig(
  policy: PolicyCase,
  config: AgentConfig,
  effect = 'nothing was started',
): ConfigDenial | undefined {
  for (const { subject, field, noun } of listed) {
    const ruling = rulingOn(policy, subject);
    if (ruling.isUnknown) return { sentence: uncheckedRuleSentence(ruling, effect), field };
    const { value: allowed, rule, ask } = ruling;
    const chosen = config[field];
    const id = typeof chosen === 'string' ? chosen : defaultChoice;
    if (!allowed || allowed.includes(id)) continue;
    const sentence = `The rule "${rule?.name}" ${choiceText(allowed, noun)}, or ${orChange(ask)}.`;
    return { sentence, field };
  }
  return undefined;
}

function choiceText(allowed: readonly string[], noun: string): string {
  // Show "default" only for connections, which can have that name. In other lists it stands for "none".
  const ids = noun === 'connection' ? allowed : allowed.filter((id) => id !== defaultChoice);
  const orNone = ids.length < allowed.length ? ' or none' : '';
  const more = ids.length > maxListed ? ` and ${ids.length - maxListed} more` : '';
  switch (ids.length) {
    case 0:
      return `only allows the default ${noun}. Choose none`;
    case 1:
      return `only allows the ${noun} "${ids[0]}". Choose it${orNone}`;
    default:
      return `only allows these ${noun}s: ${ids.slice(0, maxListed).join(', ')}${more}. Choose one of them${orNone}`;
  }
}

type Servers = AgentConfig['mcp_servers'];

/**
 * Returns the reason if a rule doesn't let people add MCP servers.
 * @param own servers of the workspace, which everyone can use because admins chose them
 */
export function denyServers(
  policy: PolicyCase,
  servers: Servers,
  own: Servers,
): ConfigDenial | undefined {
  const addsServer = Object.entries(servers ?? {}).some(
    ([name, server]) => !isDeepStrictEqual(server, own?.[name]),
  );
  if (!addsServer) return undefined;
  const ruling = rulingOn(policy, 'mcp_servers');
  const sentence = denyByRule(ruling, 'adding MCP servers', 'nothing was started');
  return sentence === undefined ? undefined : { sentence, field: 'mcp_servers' };
}
