import type { Random } from '../random.ts';

/** A fault of one call. A `late` call takes effect after the caller may have given up. */
export type CallFault =
  | { kind: 'lost before' | 'lost after' | 'rejected' | 'broken after' | 'not JSON' | 'stale' }
  | { kind: 'limited'; seconds: number }
  | { kind: 'late' | 'slow answer'; ms: number }
  /** The call takes effect, and the calling process crashes soon after. */
  | { kind: 'caller crashes'; afterSteps: number; downMs: number };

type DeliveryFault = 'twice' | 'late' | 'acknowledgement lost' | 'connection closes';

/**
 * A fault with its time or position. `nth` counts the calls of a target, deliveries, or events of a replica, from 0.
 */
export type Fault =
  | { type: 'call'; target: string; nth: number; fault: CallFault }
  | { type: 'delivery'; nth: number; how: DeliveryFault }
  /** The process that gets the delivery crashes soon after. */
  | { type: 'delivery'; nth: number; how: 'receiver crashes'; afterSteps: number; downMs: number }
  /** The process that gets the click crashes soon after. `nth` counts clicks only. */
  | { type: 'click'; nth: number; how: 'receiver crashes'; afterSteps: number; downMs: number }
  /** Slack closes a connection, or it breaks and nobody notices for `silentMs`. */
  | { type: 'disconnect'; replica: number; connection: 0 | 1; atMs: number; silentMs?: number }
  | { type: 'crash'; replica: number; atStep: number; downMs: number }
  | { type: 'freeze'; replica: number; atStep: number; ms: number }
  | { type: 'clock'; replica: number; atMs: number; byMs: number };

/** An act of a person. Each is tried again a few times if Slack shows that the app didn't answer. */
export type Act =
  | { type: 'start' | 'form' | 'mention'; atMs: number; run: number; channel: number; fate: Fate }
  | { type: 'cancel'; atMs: number; run: number; person: number }
  /** `edit` and `delete` change the last message to the run. */
  | { type: 'stop' | 'follow-up' | 'reply' | 'edit' | 'delete'; atMs: number; run: number }
  | { type: 'publish'; atMs: number; run: number; person: number }
  /** Selects the offered button: *Merge*, *Mark ready* or *Update branch*. */
  | { type: 'pull request'; atMs: number; run: number; person: number }
  /** An act by someone of another workspace, in a shared channel or with a command. */
  | { type: 'trespass'; atMs: number; run: number; how: 'cancel' | 'publish' | 'show' | 'command' }
  | { type: 'answer'; atMs: number; run: number; person: number; option: number };

/** The agent's behavior in a run, if nobody cancels it. */
export type Fate = {
  end: 'SUCCEEDED' | 'FAILED' | 'never';
  afterMs: number;
  /** True if the run asks a question first. */
  asks: boolean;
  /** Changes that can be published, or are published already, with the outcome of the first try. */
  changes: 'none' | (typeof publications)[number] | (typeof pullRequests)[number];
};

export type Plan = {
  seed: number;
  replicas: number;
  hasEvents: boolean;
  /** Number of workspaces in which the app is installed. Runs take turns. */
  workspaces: 1 | 2;
  /** True if the app isn't in the first channel, so it can post there but not read. */
  isOutside: boolean;
  acts: Act[];
  faults: Fault[];
};

const slackTargets = [
  ...['chat.postMessage', 'chat.postMessage', 'chat.postMessage', 'chat.update', 'chat.update'],
  ...['conversations.history', 'conversations.replies', 'any', 'any'],
] as [string, ...string[]];
/** Targets of calls that each run causes. */
const runsTargets = ['create', 'create', 'list', 'get'] as const;
/** Targets of calls that an act causes. A plan can't break calls that it doesn't contain. */
const targetsOfActs: Partial<Record<Act['type'], readonly string[]>> = {
  cancel: ['cancel'],
  stop: ['cancel'],
  'follow-up': ['followups'],
  reply: ['followups'],
  answer: ['answers'],
  publish: ['publish', 'publish'],
  'pull request': ['pull-request', 'pull-request'],
};
const clicks: readonly Act['type'][] = ['cancel', 'answer', 'publish', 'pull request'];
/** Targets that a seed calls often enough for a late call to break. */
const oftenCalled = /^(?:chat|list|get|any)/;

/** Makes a seed's plan: few acts and few faults, because most bugs need no more. */
export function makePlan(seed: number, random: Random): Plan {
  const replicas = random.chance(0.15) ? 2 : 1;
  const isBusy = random.chance(0.005);
  const isAlone = random.chance(0.95);
  const runs = isBusy ? 6 : isAlone ? 1 : random.pick([2, 2, 3]);
  const acts: Act[] = [];
  for (let run = 0; run < runs; run += 1)
    acts.push(...(isBusy ? [hastyStart(run, random)] : actsOf(run, random)));
  const faultCount = random.chance(0.1) ? 0 : random.between(1, 5);
  const faults = Array.from({ length: faultCount }, () => makeFault(replicas, acts, random));
  const workspaces = random.chance(0.15) ? 2 : 1;
  const hasEvents = random.chance(0.5);
  acts.push(...acts.flatMap((act) => changesOf(act, random)));
  const isOutside = random.chance(0.06);
  const heard = isOutside ? acts.flatMap(unheard) : acts;
  return { seed, replicas, hasEvents, workspaces, isOutside, acts: heard, faults };
}

/** Returns acts that the app can receive in a channel that it isn't in: commands, forms and clicks. */
function unheard(act: Act): Act[] {
  switch (act.type) {
    case 'mention':
      return [{ ...act, type: 'start' }];
    case 'reply':
    case 'follow-up':
    case 'edit':
    case 'delete':
    case 'stop':
      return [];
    default:
      return [act];
  }
}

function actsOf(run: number, random: Random): Act[] {
  const atMs = random.below(1_000);
  const type = random.pick(['start', 'start', 'start', 'form', 'mention'] as const);
  const asks = random.chance(0.25);
  const isLong = asks || random.chance(0.5);
  const isFollowed = isLong && random.chance(0.4);
  // Let some runs outlast a lease, because a follow-up is sent again only after a crash and the end of its lease.
  const outlastsLease = isFollowed && random.chance(0.4);
  const end = outlastsLease
    ? 'never'
    : random.pick(['SUCCEEDED', 'SUCCEEDED', 'FAILED', 'never'] as const);
  const afterMs = random.between(200, isLong ? 4_000 : 2_000);
  const isPublished = end === 'SUCCEEDED' && random.chance(0.3);
  const hasPullRequest = end === 'SUCCEEDED' && !isPublished && random.chance(0.25);
  const changes = isPublished
    ? random.pick(publications)
    : hasPullRequest
      ? random.pick(pullRequests)
      : 'none';
  const fate: Fate = { end, afterMs, asks, changes };
  const acts: Act[] = [{ type, atMs, run, channel: random.below(2), fate }];
  const later = () => atMs + random.between(300, 4_000);
  if ((end === 'never' && !outlastsLease) || random.chance(0.25))
    acts.push({ type: 'cancel', atMs: later(), run, person: 0 });
  // Add a cancel by a person without the permission.
  if (random.chance(0.05)) acts.push({ type: 'cancel', atMs: later(), run, person: 1 });
  if (random.chance(0.15)) acts.push({ type: 'stop', atMs: later(), run });
  if (isFollowed) acts.push({ type: 'follow-up', atMs: later(), run });
  if (random.chance(0.2)) acts.push({ type: 'reply', atMs: later(), run });
  if (random.chance(0.04))
    acts.push({ type: 'trespass', atMs: later(), run, how: random.pick(trespasses) });
  const isRejected = changes === 'rejected first';
  if (isPublished) acts.push(...publish(run, atMs + afterMs, isRejected, random));
  if (hasPullRequest) acts.push(...changePullRequest(run, atMs + afterMs, random));
  if (asks)
    for (let count = random.between(1, 3); count > 0; count -= 1)
      acts.push({ type: 'answer', atMs: later(), run, person: 0, option: random.below(2) });
  return acts;
}

/** Starts many runs at once in one channel, which Slack's limits delay. */
const hastyStart = (run: number, random: Random): Act => ({
  type: 'start',
  atMs: random.below(600),
  run,
  channel: 0,
  fate: { end: 'SUCCEEDED', afterMs: random.between(200, 3_000), asks: false, changes: 'none' },
});

const publications = ['publishable', 'publishable', 'rejected first'] as const;
const pullRequests = ['open', 'open', 'merge rejected first', 'draft', 'behind'] as const;
const trespasses = ['cancel', 'publish', 'show', 'command'] as const;

/** Makes changes of a message that was just written. */
function changesOf({ type, atMs, run }: Act, random: Random): Act[] {
  const isWritten = type === 'mention' || type === 'reply' || type === 'follow-up';
  if (!isWritten || random.chance(0.5)) return [];
  const how = random.chance(0.3) ? 'delete' : 'edit';
  // Make some changes at once, as if Slack had delivered the message late, because it promises no order.
  const afterMs = random.chance(0.6) ? random.between(1, 50) : random.between(50, 2_000);
  return [{ type: how, atMs: atMs + afterMs, run }];
}

/**
 * Publishes often twice at about the same time, sometimes by a person without the permission, and again after a
 * rejection.
 */
function publish(run: number, endMs: number, isRejected: boolean, random: Random): Act[] {
  const at = (afterMs: number): Act => {
    const atMs = endMs + afterMs;
    return { type: 'publish', atMs, run, person: random.chance(0.1) ? 1 : 0 };
  };
  const soon = () => at(random.between(700, 2_500));
  const acts = random.chance(0.5) ? [soon(), soon()] : [soon()];
  // Try again only after a rejection, because otherwise the app checks the run for two minutes.
  return isRejected ? [...acts, at(random.between(5_000, 6_000))] : acts;
}

/** Changes the pull request twice: first the act that has to come before, and then a merge. */
function changePullRequest(run: number, endMs: number, random: Random): Act[] {
  const at = (): Act => {
    const atMs = endMs + random.between(700, 2_500);
    return { type: 'pull request', atMs, run, person: random.chance(0.1) ? 1 : 0 };
  };
  return [at(), at()];
}

function makeFault(replicas: number, acts: readonly Act[], random: Random): Fault {
  const replica = random.below(replicas);
  const kind = random.next();
  if (kind < 0.3) {
    const target = random.pick(slackTargets);
    const fault = makeCallFault(false, random);
    // Make late posts very late, because a frozen process's post arrives long after it has given up.
    if (target === 'chat.postMessage' && fault.kind === 'late') fault.ms *= 3;
    const nth = random.below(oftenCalled.test(target) ? 4 : 2);
    return { type: 'call', target: `slack ${target}`, nth, fault };
  }
  if (kind < 0.55) {
    const ofActs = acts.flatMap(({ type }) => targetsOfActs[type] ?? []);
    const target = random.pick<string>([...runsTargets, ...ofActs]);
    const fault = makeRunsFault(target, random);
    // Keep the delay short, because the model opens a pull request for each call, and nothing shows one in progress.
    const isOnce = target === 'publish' || target === 'pull-request';
    if (isOnce && fault.kind === 'late') fault.ms = 300;
    const nth = random.below(oftenCalled.test(target) ? 4 : 2);
    return { type: 'call', target: `runs ${target}`, nth, fault };
  }
  if (kind < 0.72) return makeDeliveryFault(replica, acts, random);
  if (kind < 0.88) {
    // Choose early events more often, because most events of a start are the first hundred.
    const atStep = random.below(random.pick([60, 150, 300, 500]));
    return { type: 'crash', replica, atStep, downMs: random.between(200, 4_000) };
  }
  if (kind < 0.95)
    return { type: 'freeze', replica, atStep: random.below(400), ms: random.between(500, 25_000) };
  // Replicas share the database's clock, so a wrong clock needs a single replica.
  if (replicas > 1) return { type: 'delivery', nth: random.below(5), how: 'twice' };
  const byMs = random.between(-120_000, 120_000);
  return { type: 'clock', replica, atMs: random.below(6_000), byMs };
}

const deliveryFaults = ['twice', 'late', 'acknowledgement lost', 'connection closes'] as const;

/** Breaks connections during a delivery, or at any time. */
function makeDeliveryFault(replica: number, acts: readonly Act[], random: Random): Fault {
  const nth = random.below(5);
  const kind = random.next();
  if (kind < 0.5) return { type: 'delivery', nth, how: random.pick(deliveryFaults) };
  const crash = { how: 'receiver crashes', afterSteps: random.below(6) } as const;
  const downMs = random.between(100, 2_500);
  const hasClicks = acts.some(({ type }) => clicks.includes(type));
  if (kind < (hasClicks ? 0.55 : 0.85)) return { type: 'delivery', nth, ...crash, downMs };
  if (kind < 0.85) return { type: 'click', nth: random.below(2), ...crash, downMs };
  const connection = random.chance(0.5) ? 0 : 1;
  const atMs = random.below(6_000);
  const isSilent = random.chance(0.5);
  const silentMs = random.between(200, 5_000);
  return { type: 'disconnect', replica, connection, atMs, ...(isSilent && { silentMs }) };
}

/** Prefers stale responses for reads, and crashes before the record for writes, because they show the most. */
function makeRunsFault(target: string, random: Random): CallFault {
  const isRead = target === 'list' || target === 'get';
  if (isRead && random.chance(0.5)) return { kind: 'stale' };
  return !isRead && random.chance(0.25) ? makeCrash(random) : makeCallFault(true, random);
}

const makeCrash = (random: Random): CallFault => ({
  kind: 'caller crashes',
  afterSteps: random.below(3),
  downMs: random.between(100, 2_500),
});

function makeCallFault(isRuns: boolean, random: Random): CallFault {
  const kind = random.pick([
    ...['lost before', 'lost after', 'lost after', 'rejected', 'broken after'],
    ...['limited', 'late', 'slow answer', 'caller crashes', isRuns ? 'stale' : 'not JSON'],
  ] as [CallFault['kind'], ...CallFault['kind'][]]);
  switch (kind) {
    case 'limited':
      return { kind, seconds: random.between(1, 5) };
    case 'late':
    case 'slow answer':
      return { kind, ms: random.between(300, 6_500) };
    case 'caller crashes':
      return makeCrash(random);
    default:
      return { kind };
  }
}
