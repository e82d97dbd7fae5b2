import type { Random } from '../random.ts';

/** What happens to one call of the bots. `late`: it takes effect after the caller may have given up. */
export type CallFault =
  | { kind: 'lost before' | 'lost after' | 'refused' | 'broken after' | 'not JSON' | 'stale' }
  | { kind: 'limited'; seconds: number }
  | { kind: 'late' | 'slow answer'; ms: number }
  /** It takes effect, and the process that made it crashes soon after. */
  | { kind: 'caller crashes'; afterSteps: number; downMs: number };

type DeliveryFault = 'twice' | 'late' | 'acknowledgement lost' | 'connection closes';

/** What goes wrong, and when. `nth` counts the calls of a target, deliveries, or events of a replica, from 0. */
export type Fault =
  | { type: 'call'; target: string; nth: number; fault: CallFault }
  | { type: 'delivery'; nth: number; how: DeliveryFault }
  /** The process that gets it crashes soon after. */
  | { type: 'delivery'; nth: number; how: 'receiver crashes'; afterSteps: number; downMs: number }
  /** The same for clicks alone, which `nth` counts. */
  | { type: 'click'; nth: number; how: 'receiver crashes'; afterSteps: number; downMs: number }
  /** Slack closes a connection, or it breaks and nobody notices for `silentMs`. */
  | { type: 'disconnect'; replica: number; connection: 0 | 1; atMs: number; silentMs?: number }
  | { type: 'crash'; replica: number; atStep: number; downMs: number }
  | { type: 'freeze'; replica: number; atStep: number; ms: number }
  | { type: 'clock'; replica: number; atMs: number; byMs: number };

/** What a person does. Each is tried again a few times if Slack says that the app didn't answer. */
export type Act =
  | { type: 'start' | 'form' | 'mention'; atMs: number; run: number; channel: number; fate: Fate }
  | { type: 'cancel'; atMs: number; run: number; person: number }
  /** `edit`, `delete`: what was last written to the run. */
  | { type: 'stop' | 'follow-up' | 'reply' | 'edit' | 'delete'; atMs: number; run: number }
  | { type: 'publish'; atMs: number; run: number; person: number }
  /** The button that's offered: *Merge*, *Mark ready* or *Update branch*. */
  | { type: 'pull request'; atMs: number; run: number; person: number }
  /** By someone of another workspace, in a shared channel or with a command. */
  | { type: 'trespass'; atMs: number; run: number; how: 'cancel' | 'publish' | 'show' | 'command' }
  | { type: 'answer'; atMs: number; run: number; person: number; option: number };

/** What the agent makes of a run, if nobody cancels it. */
export type Fate = {
  end: 'SUCCEEDED' | 'FAILED' | 'never';
  afterMs: number;
  /** The run asks a question first. */
  asks: boolean;
  /** Whether it changes something that can be published, or that is published already, and how that goes at first. */
  changes: 'none' | (typeof publications)[number] | (typeof pullRequests)[number];
};

export type Plan = {
  seed: number;
  replicas: number;
  hasEvents: boolean;
  /** How many the app is installed in. Runs take turns. */
  workspaces: 1 | 2;
  /** The app isn't in the first channel: it posts there and can't read. */
  isOutside: boolean;
  acts: Act[];
  faults: Fault[];
};

const slackTargets = [
  ...['chat.postMessage', 'chat.postMessage', 'chat.postMessage', 'chat.update', 'chat.update'],
  ...['conversations.history', 'conversations.replies', 'any', 'any'],
] as [string, ...string[]];
/** What comes of each run. */
const runsTargets = ['create', 'create', 'list', 'get'] as const;
/** What comes of an act. Calls that a plan doesn't have can't break. */
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
/** These come often enough in a seed that a later one may break. */
const oftenCalled = /^(?:chat|list|get|any)/;

/** What a seed does: few acts and few faults, because most bugs need no more. */
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

/** What an app hears of a channel that it isn't in: commands, forms and clicks. */
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
  // After a crash, a follow-up is sent again when its lease has run out. Some runs must last until then.
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
  // Someone who may not.
  if (random.chance(0.05)) acts.push({ type: 'cancel', atMs: later(), run, person: 1 });
  if (random.chance(0.15)) acts.push({ type: 'stop', atMs: later(), run });
  if (isFollowed) acts.push({ type: 'follow-up', atMs: later(), run });
  if (random.chance(0.2)) acts.push({ type: 'reply', atMs: later(), run });
  if (random.chance(0.04))
    acts.push({ type: 'trespass', atMs: later(), run, how: random.pick(trespasses) });
  const isRefused = changes === 'refused first';
  if (isPublished) acts.push(...publish(run, atMs + afterMs, isRefused, random));
  if (hasPullRequest) acts.push(...changePullRequest(run, atMs + afterMs, random));
  if (asks)
    for (let count = random.between(1, 3); count > 0; count -= 1)
      acts.push({ type: 'answer', atMs: later(), run, person: 0, option: random.below(2) });
  return acts;
}

/** Many at once in one channel, which Slack's limits delay. */
const hastyStart = (run: number, random: Random): Act => ({
  type: 'start',
  atMs: random.below(600),
  run,
  channel: 0,
  fate: { end: 'SUCCEEDED', afterMs: random.between(200, 3_000), asks: false, changes: 'none' },
});

const publications = ['publishable', 'publishable', 'refused first'] as const;
const pullRequests = ['open', 'open', 'merge refused first', 'draft', 'behind'] as const;
const trespasses = ['cancel', 'publish', 'show', 'command'] as const;

/** People change what they have just written. */
function changesOf({ type, atMs, run }: Act, random: Random): Act[] {
  const isWritten = type === 'mention' || type === 'reply' || type === 'follow-up';
  if (!isWritten || random.chance(0.5)) return [];
  const how = random.chance(0.3) ? 'delete' : 'edit';
  // Some at once, as if Slack had delivered what was written late: it promises no order.
  const afterMs = random.chance(0.6) ? random.between(1, 50) : random.between(50, 2_000);
  return [{ type: how, atMs: atMs + afterMs, run }];
}

/** Often twice at about the same time, sometimes by someone who may not, and once more if the first is refused. */
function publish(run: number, endMs: number, isRefused: boolean, random: Random): Act[] {
  const at = (afterMs: number): Act => {
    const atMs = endMs + afterMs;
    return { type: 'publish', atMs, run, person: random.chance(0.1) ? 1 : 0 };
  };
  const soon = () => at(random.between(700, 2_500));
  const acts = random.chance(0.5) ? [soon(), soon()] : [soon()];
  // Otherwise the app looks for two minutes whether something came of it.
  return isRefused ? [...acts, at(random.between(5_000, 6_000))] : acts;
}

/** Twice: what has to be done before comes first, and then a merge. */
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
    // What a frozen process had begun to post arrives when it has given up long ago.
    if (target === 'chat.postMessage' && fault.kind === 'late') fault.ms *= 3;
    const nth = random.below(oftenCalled.test(target) ? 4 : 2);
    return { type: 'call', target: `slack ${target}`, nth, fault };
  }
  if (kind < 0.55) {
    const ofActs = acts.flatMap(({ type }) => targetsOfActs[type] ?? []);
    const target = random.pick<string>([...runsTargets, ...ofActs]);
    const fault = makeRunsFault(target, random);
    // The model opens a pull request for each call, and nothing else can tell that one is under way.
    const isOnce = target === 'publish' || target === 'pull-request';
    if (isOnce && fault.kind === 'late') fault.ms = 300;
    const nth = random.below(oftenCalled.test(target) ? 4 : 2);
    return { type: 'call', target: `runs ${target}`, nth, fault };
  }
  if (kind < 0.72) return makeDeliveryFault(replica, acts, random);
  if (kind < 0.88) {
    // Most events of a start are the first hundred.
    const atStep = random.below(random.pick([60, 150, 300, 500]));
    return { type: 'crash', replica, atStep, downMs: random.between(200, 4_000) };
  }
  if (kind < 0.95)
    return { type: 'freeze', replica, atStep: random.below(400), ms: random.between(500, 25_000) };
  // Replicas share the clock of their database.
  if (replicas > 1) return { type: 'delivery', nth: random.below(5), how: 'twice' };
  const byMs = random.between(-120_000, 120_000);
  return { type: 'clock', replica, atMs: random.below(6_000), byMs };
}

const deliveryFaults = ['twice', 'late', 'acknowledgement lost', 'connection closes'] as const;

/** Connections close and break while a delivery is under way, or at any time. */
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

/** Of what goes wrong with reads, stale answers show the most, and with writes, crashes before they're recorded. */
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
    ...['lost before', 'lost after', 'lost after', 'refused', 'broken after'],
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
