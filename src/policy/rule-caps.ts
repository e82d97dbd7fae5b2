/** Finds the spending caps and models that the rules give a run. */
import type { RunCap } from 'runs-client/run-limits';
import { readCap } from './cap-text.ts';
import { defaultChoice, type Rule, subjectNames } from './policy.ts';
import { type PolicyCase, type Ruling, rulingOn } from './ruling.ts';

/** A cap of a run, without the names for people. */
export type RuleCap = Omit<RunCap, 'name'>;

/** Limits of one run by the rules. Without `models`, it can use all that its environment allows. */
export type RuleLimits = { models?: readonly string[] | undefined; caps: readonly RuleCap[] };

/**
 * Result of applying the rules. `unchecked` is a ruling for which Slack didn't say if it applies. Nothing may start
 * then, whatever `limits` says.
 */
type RuleLimitsRead = { limits: RuleLimits; unchecked: Ruling<unknown> | undefined };

const scopes = {
  person_cap: 'person',
  channel_cap: 'channel',
  group_cap: 'group',
  environment_cap: 'environment',
  workspace_cap: 'workspace',
} as const;
const periodSubjects = Object.keys(scopes) as (keyof typeof scopes)[];

/**
 * Reads the limits for a run of this person in this conversation. Each cap comes from the first rule that sets it.
 * @param modelId model that was chosen for the run
 */
export function ruleLimits(policy: PolicyCase, modelId: string | undefined): RuleLimitsRead {
  const run = rulingOn(policy, 'run_cap');
  const models = rulingOn(policy, 'models');
  const periods = periodSubjects.map((subject) => ({
    scope: scopes[subject],
    ruling: rulingOn(policy, subject),
  }));
  const unchecked =
    [run, models, ...periods.map(({ ruling }) => ruling)].find(({ isUnknown }) => isUnknown) ??
    uncheckedGroup(policy);
  const ofPeriods = periods.flatMap(({ scope, ruling }) => {
    const cap = ruling.value === undefined ? undefined : readCap(ruling.value);
    if (!cap) return [];
    const found = { scope, ...cap, ...timeZoneOf(ruling.rule) };
    return scope === 'group'
      ? groupsOf(policy, ruling.rule, true).map((group) => ({ ...found, group }))
      : [found];
  });
  const ofRun: RuleCap[] =
    run.value === undefined ? [] : [{ scope: 'run', usd: run.value, per: 'run' }];
  const caps = [...ofRun, ...ofPeriods];
  return { unchecked, limits: { models: modelsFor(models.value, modelId), caps } };
}

/** Returns true while Slack doesn't say if one of the rules applies. Asking again may help. */
export const isUncertain = (policy: PolicyCase): boolean =>
  [
    ...subjectNames.map((subject) => rulingOn(policy, subject)),
    ruleLimits(policy, undefined).unchecked,
  ].some((ruling) => ruling?.isUnknown && !ruling.isHidden);

const timeZoneOf = (rule: Rule | undefined) =>
  rule?.time_zone === undefined ? {} : { time_zone: rule.time_zone };

/** Returns the rule's groups that the person is in, or of which Slack doesn't say it. */
const groupsOf = ({ facts }: PolicyCase, rule: Rule | undefined, isIn: true | undefined) =>
  (rule?.groups ?? []).filter((id) => facts.inGroups.get(id) === isIn);

/** Returns the ruling on the group cap if the person may be in another of the rule's groups, which then counts too. */
function uncheckedGroup(policy: PolicyCase): Ruling<unknown> | undefined {
  const { rule, ask } = rulingOn(policy, 'group_cap');
  if (!rule || policy.facts.userId === undefined) return undefined;
  if (groupsOf(policy, rule, undefined).length === 0) return undefined;
  return { rule, isUnknown: true, isHidden: policy.facts.hasHiddenGroups === true, ask };
}

/**
 * Returns the models that a run can use. A run without a chosen model uses the environment's default, which the app
 * doesn't know, so a rule that allows the default doesn't restrict it.
 */
function modelsFor(allowed: readonly string[] | undefined, modelId: string | undefined) {
  if (!allowed || (modelId === undefined && allowed.includes(defaultChoice))) return undefined;
  return allowed.filter((id) => id !== defaultChoice);
}
