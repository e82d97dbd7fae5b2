import type { RunCap } from 'runs-client/run-limits';
import type { ServiceEnvironment } from '../../environments/environments.ts';
import type { FileCap } from '../../environments/models-config.ts';
import type { StoredRun } from '../../store/runs.ts';
import { apartKey, type SpendCap } from '../../store/spend-cap.ts';
import { readStoredLimits, type StoredLimits } from './stored-limits.ts';

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
  const limits = readStoredLimits(run);
  const creator: Creator = JSON.parse(run.creator_json);
  const { operator, caller, groupKeys } = keysOf(run.id, environment.id, limits, creator);
  const keysOfCap = ({ scope, group }: RunCap) =>
    scope === 'group' ? groupKeys(group) : caller[scope];
  const { caps = [], timeZone = 'UTC' } = environment;
  return {
    caps: [
      ...caps.flatMap((cap) => operatorCaps(cap, operator, namesIn(limits, creator), timeZone)),
      ...(limits.caps ?? []).flatMap((cap) => callerCap(cap, keysOfCap(cap), environment.id)),
    ],
    spendKeys: [...new Set([operator, caller].flatMap((keys) => Object.values(keys).flat()))],
    labels: labelsOf(limits, creator),
  };
}

type Creator = { type?: string; uid: string; display_name?: string };
type Scope = SpendCap['scope'];
type Keys = Record<Scope, string[]>;

/** Returns the labels for reports. A caller whose counters are apart can't name others, because all callers see these. */
function labelsOf(limits: StoredLimits, { uid }: Creator): CapsOfRun['labels'] {
  const { workspace, person, channel, counted_apart_for: owner } = limits;
  return owner === undefined
    ? { workspace, person: person ?? uid, channel }
    : { workspace: undefined, person: uid, channel: undefined };
}

/**
 * Returns the keys of the run's counters by scope, for the operator's caps and for the caller's. If the caller's counters
 * are apart, the operator's caps still count the run, its environment and its creator with everyone else's.
 */
function keysOf(runId: string, environmentId: string, limits: StoredLimits, creator: Creator) {
  const { workspace, person, channel, caps = [], counted_apart_for: owner } = limits;
  const keyOf = (scope: Scope, id: string, inWorkspace?: string) =>
    owner === undefined
      ? `${scope}:${inWorkspace === undefined ? id : `${inWorkspace}/${id}`}`
      : apartKey(owner, scope, id, inWorkspace);
  const named = (scope: Scope, id: string | undefined) =>
    workspace === undefined || id === undefined ? [] : [keyOf(scope, id, workspace)];
  const groupKeys = (group: string | undefined) => named('group', group);
  const run = [`run:${runId}`];
  const environment = [`environment:${environmentId}`];
  const creators = [`person:${creator.uid}`];
  const people = named('person', person);
  // The spending of a creator who is a person counts even if the caller names someone else.
  const isCounted = people.length === 0 || creator.type === 'user';
  const shared: Keys = {
    run,
    environment,
    workspace: workspace === undefined ? [] : [keyOf('workspace', workspace)],
    person: isCounted ? [...people, ...creators] : people,
    channel: named('channel', channel),
    group: caps.flatMap(({ group }) => groupKeys(group)),
  };
  if (owner === undefined) return { operator: shared, caller: shared, groupKeys };
  return {
    operator: { ...shared, person: creators },
    caller: {
      ...shared,
      environment: [keyOf('environment', environmentId)],
      person: people.length > 0 ? people : [keyOf('person', creator.uid)],
    },
    groupKeys,
  };
}

/**
 * Returns a function that finds names for people. The environments file doesn't know people and channels, but callers
 * send their names with their own caps.
 */
const namesIn =
  ({ caps = [] }: StoredLimits, creator: Creator) =>
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
  { scope, usd, per, time_zone: timeZone = 'UTC', name }: RunCap,
  [key]: readonly string[],
  environmentId: string,
): SpendCap[] {
  if (key === undefined) return [];
  return [
    {
      scope,
      setBy: 'caller',
      key,
      name: name ?? (scope === 'environment' ? environmentId : undefined),
      limitMicros: Math.floor(usd * microsPerDollar),
      per,
      timeZone,
    },
  ];
}

const idIn = (key: string) => key.slice(key.indexOf(':') + 1);
