/**
 * Says which rule refuses something, and who can change it. Sentences have no markup, because forms show it as text.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AgentConfig } from 'runs-client/contract';
import { noneChosen } from './policy.ts';
import { isForPlaces, type PolicyCase, type Ruling, rulingOn } from './ruling.ts';

type Refusal = string;

/** @param effect result of the refusal, such as "nothing was started" */
export const notKnown = ({ rule, isHidden, ask }: Ruling<unknown>, effect: string): Refusal =>
  isHidden
    ? `The rule "${rule?.name}" names a user group, and Slack doesn't let the app see groups, so ${effect}. Ask ${ask} to reinstall the app with the scope usergroups:read.`
    : `Slack didn't say whether the rule "${rule?.name}" is for you, so ${effect}. Try again shortly, or ask ${ask}.`;

/**
 * Returns undefined unless a rule says no.
 * @param act such as "start runs"
 */
export function refuseByRule(
  ruling: Ruling<boolean>,
  act: string,
  effect: string,
): Refusal | undefined {
  const { rule, value, isUnknown, ask } = ruling;
  if (isUnknown) return notKnown(ruling, effect);
  if (value !== false || !rule) return undefined;
  const where = isForPlaces(rule) ? ' here' : '';
  return `The rule "${rule.name}" doesn't let you ${act}${where}. Ask ${ask}.`;
}

const shown = 10;

export type ConfigRefusal = {
  sentence: Refusal;
  field: 'connection' | 'environment_id' | 'model_id' | 'mcp_servers';
};

const listed = [
  { subject: 'connections', field: 'connection', noun: 'connection' },
  { subject: 'environments', field: 'environment_id', noun: 'environment' },
  { subject: 'models', field: 'model_id', noun: 'model' },
] as const;

/** Checks the connection, environment and model of a run. */
export function refuseConfig(
  policy: PolicyCase,
  config: AgentConfig,
  effect = 'nothing was started',
): ConfigRefusal | undefined {
  for (const { subject, field, noun } of listed) {
    const ruling = rulingOn(policy, subject);
    if (ruling.isUnknown) return { sentence: notKnown(ruling, effect), field };
    const { value: allowed, rule, ask } = ruling;
    const chosen = config[field];
    const id = typeof chosen === 'string' ? chosen : noneChosen;
    if (!allowed || allowed.includes(id)) continue;
    const sentence = `The rule "${rule?.name}" ${choiceWords(allowed, noun)}, or ask ${ask}.`;
    return { sentence, field };
  }
  return undefined;
}

function choiceWords(allowed: readonly string[], noun: string): string {
  // Only a connection can have the name that means "none".
  const ids = noun === 'connection' ? allowed : allowed.filter((id) => id !== noneChosen);
  const orNone = ids.length < allowed.length ? ' or none' : '';
  const more = ids.length > shown ? ` and ${ids.length - shown} more` : '';
  switch (ids.length) {
    case 0:
      return `only allows the default ${noun}. Choose none`;
    case 1:
      return `only allows the ${noun} ${ids[0]}. Choose it${orNone}`;
    default:
      return `only allows these ${noun}s: ${ids.slice(0, shown).join(', ')}${more}. Choose one of them${orNone}`;
  }
}

type Servers = AgentConfig['mcp_servers'];

/** @param own servers of the workspace, which admins chose */
export function refuseServers(
  policy: PolicyCase,
  servers: Servers,
  own: Servers,
): ConfigRefusal | undefined {
  const isBrought = Object.entries(servers ?? {}).some(
    ([name, server]) => !isDeepStrictEqual(server, own?.[name]),
  );
  if (!isBrought) return undefined;
  const ruling = rulingOn(policy, 'mcp_servers');
  const sentence = refuseByRule(ruling, 'bring MCP servers', 'nothing was started');
  return sentence === undefined ? undefined : { sentence, field: 'mcp_servers' };
}
