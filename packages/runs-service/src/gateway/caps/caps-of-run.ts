import type { RunCap, RunLimits } from 'runs-client/run-limits';
import type { ServiceEnvironment } from '../../environments/environments.ts';
import type { FileCap } from '../../environments/models-config.ts';
import type { StoredRun } from '../../store/runs.ts';
import type { SpendCap } from '../../store/spend-cap.ts';

type SpendingRun = Pick<StoredRun, 'id' | 'creator_json' | 'limits_json'>;
type SpendingEnvironment = Pick<ServiceEnvironment, 'id' | 'caps' | 'timeZone'>;

/** Caps of a run, and the counters that its model calls belong to. */
type CapsOfRun = {
  caps: SpendCap[];
  spendKeys: string[];
  /** Workspace, person and channel that the calls count for. Without a person, it's the creator of the run. */
  labels: { workspace: string | undefined; person: string; channel: string | undefined };
};

const microsPerDollar = 1_000_000;

/** Returns the caps of the environments file and of the run's own limits. */
export function capsOfRun(run: SpendingRun, environment: SpendingEnvironment): CapsOfRun {
  const limits: RunLimits = run.limits_json === null ? {} : JSON.parse(run.limits_json);
  const creator: Creator = JSON.parse(run.creator_json);
  const keys = keysOf(run.id, environment.id, limits, creator);
  const { caps = [], timeZone = 'UTC' } = environment;
  return {
    caps: [
      ...caps.flatMap((cap) => operatorCaps(cap, keys, namesIn(limits, creator), timeZone)),
      ...(limits.caps ?? []).flatMap((cap) => callerCap(cap, keys)),
    ],
    spendKeys: [...new Set(Object.values(keys).flat())],
    labels: {
      workspace: limits.workspace,
      person: limits.person ?? creator.uid,
      channel: limits.channel,
    },
  };
}

type Creator = { type?: string; uid: string; display_name?: string };
type Scope = SpendCap['scope'];
type Keys = Record<Scope, string[]>;

/**
 * Returns the keys of the run's counters by scope. A run can have two counters of persons, because the spending of a
 * creator who is a person counts even if the caller names someone else.
 */
function keysOf(
  runId: string,
  environmentId: string,
  { workspace, person, channel, caps = [] }: RunLimits,
  creator: Creator,
): Keys {
  const inWorkspace = (kind: Scope, id: string | undefined) =>
    workspace === undefined || id === undefined ? [] : [`${kind}:${workspace}/${id}`];
  const named = inWorkspace('person', person);
  const isCounted = named.length === 0 || creator.type === 'user';
  return {
    run: [`run:${runId}`],
    environment: [`environment:${environmentId}`],
    workspace: workspace === undefined ? [] : [`workspace:${workspace}`],
    person: [...named, ...(isCounted ? [`person:${creator.uid}`] : [])],
    channel: inWorkspace('channel', channel),
    group: caps.flatMap(({ group }) => inWorkspace('group', group)),
  };
}

/**
 * Returns a function that finds names for people. The environments file doesn't know people and channels, but callers
 * send their names with their own caps.
 */
const namesIn =
  ({ caps = [] }: RunLimits, creator: Creator) =>
  (scope: Scope, key: string): string | undefined => {
    if (scope === 'environment') return idIn(key);
    if (key === `person:${creator.uid}`) return creator.display_name;
    return caps.find((cap) => cap.scope === scope)?.name;
  };

/** A cap of the environments file applies to all counters of its scope. */
function operatorCaps(
  { scope, usd, per }: FileCap,
  keys: Keys,
  nameOf: (scope: Scope, key: string) => string | undefined,
  timeZone: string,
): SpendCap[] {
  return keys[scope].map((key) => ({
    scope,
    setBy: 'operator',
    key,
    name: nameOf(scope, key),
    limitMicros: Math.floor(usd * microsPerDollar),
    per,
    timeZone,
  }));
}

/** A cap of the request applies to what the caller named. Without such a name, no counter exists. */
function callerCap(
  { scope, usd, per, time_zone: timeZone = 'UTC', group, name }: RunCap,
  keys: Keys,
): SpendCap[] {
  const key = keys[scope].find((each) => scope !== 'group' || idIn(each).endsWith(`/${group}`));
  if (key === undefined) return [];
  return [
    {
      scope,
      setBy: 'caller',
      key,
      name: name ?? (scope === 'environment' ? idIn(key) : undefined),
      limitMicros: Math.floor(usd * microsPerDollar),
      per,
      timeZone,
    },
  ];
}

const idIn = (key: string) => key.slice(key.indexOf(':') + 1);
