import type { Random } from '../random.ts';

/** What happens to one call of the bots. `late`: it takes effect after the caller may have given up. */
export type CallFault =
  | { kind: 'lost before' | 'lost after' | 'refused' | 'broken after' | 'not JSON' | 'stale' }
  | { kind: 'limited'; seconds: number }
  | { kind: 'late' | 'slow answer'; ms: number };

/** What goes wrong, and when. `nth` counts the calls of a target, deliveries, or events of a replica, from 0. */
export type Fault =
  | { type: 'call'; target: string; nth: number; fault: CallFault }
  | { type: 'delivery'; nth: number; how: 'twice' | 'late' | 'acknowledgement lost' }
  | { type: 'crash'; replica: number; atStep: number; downMs: number }
  | { type: 'freeze'; replica: number; atStep: number; ms: number }
  | { type: 'clock'; replica: number; atMs: number; byMs: number };

/** What a person does. Each is tried again a few times if Slack says that the app didn't answer. */
export type Act =
  | { type: 'start' | 'mention'; atMs: number; run: number; channel: number; fate: Fate }
  | { type: 'cancel'; atMs: number; run: number; person: number }
  | { type: 'stop' | 'follow-up'; atMs: number; run: number }
  | { type: 'answer'; atMs: number; run: number; person: number; option: number };

/** What the agent makes of a run, if nobody cancels it. */
export type Fate = {
  end: 'SUCCEEDED' | 'FAILED' | 'never';
  afterMs: number;
  /** The run asks a question first. */
  asks: boolean;
};

export type Plan = {
  seed: number;
  replicas: number;
  hasEvents: boolean;
  acts: Act[];
  faults: Fault[];
};

const slackTargets = [
  'chat.postMessage',
  'chat.postMessage',
  'chat.update',
  'conversations.history',
  'conversations.replies',
  'any',
] as const;
const runsTargets = ['create', 'create', 'list', 'get', 'cancel', 'followups', 'answers'] as const;

/** What a seed does: few acts and few faults, because most bugs need no more. */
export function makePlan(seed: number, random: Random): Plan {
  const replicas = random.chance(0.3) ? 2 : 1;
  const isBusy = random.chance(0.03);
  const runs = isBusy ? 7 : random.pick([1, 1, 2, 2, 3]);
  const acts: Act[] = [];
  for (let run = 0; run < runs; run += 1)
    acts.push(...(isBusy ? [hastyStart(run, random)] : actsOf(run, random)));
  const faults = Array.from({ length: random.below(7) }, () => makeFault(replicas, random));
  return { seed, replicas, hasEvents: random.chance(0.5), acts, faults };
}

function actsOf(run: number, random: Random): Act[] {
  const atMs = random.below(2_000);
  const type = random.chance(0.7) ? 'start' : 'mention';
  const asks = random.chance(0.25);
  const isLong = asks || random.chance(0.5);
  const end = random.pick(['SUCCEEDED', 'SUCCEEDED', 'FAILED', 'never'] as const);
  const fate: Fate = { end, afterMs: random.between(200, isLong ? 6_000 : 2_500), asks };
  const acts: Act[] = [{ type, atMs, run, channel: random.below(2), fate }];
  const later = () => atMs + random.between(300, 5_500);
  if (end === 'never' || random.chance(0.25))
    acts.push({ type: 'cancel', atMs: later(), run, person: 0 });
  // Someone who may not.
  if (random.chance(0.05)) acts.push({ type: 'cancel', atMs: later(), run, person: 1 });
  if (random.chance(0.15)) acts.push({ type: 'stop', atMs: later(), run });
  if (isLong && random.chance(0.4)) acts.push({ type: 'follow-up', atMs: later(), run });
  if (asks)
    for (let count = random.between(1, 3); count > 0; count -= 1)
      acts.push({ type: 'answer', atMs: later(), run, person: 0, option: random.below(2) });
  return acts;
}

/** Many at once in one channel, which Slack's limits delay. */
const hastyStart = (run: number, random: Random): Act => ({
  ...{ type: 'start', atMs: random.below(600), run, channel: 0 },
  fate: { end: 'SUCCEEDED', afterMs: random.between(200, 3_000), asks: false },
});

function makeFault(replicas: number, random: Random): Fault {
  const replica = random.below(replicas);
  const kind = random.next();
  if (kind < 0.3) {
    const target = `slack ${random.pick(slackTargets)}`;
    return { type: 'call', target, nth: random.below(5), fault: makeCallFault(false, random) };
  }
  if (kind < 0.55) {
    const target = `runs ${random.pick(runsTargets)}`;
    return { type: 'call', target, nth: random.below(4), fault: makeCallFault(true, random) };
  }
  if (kind < 0.67) {
    const how = random.pick(['twice', 'late', 'acknowledgement lost'] as const);
    return { type: 'delivery', nth: random.below(5), how };
  }
  if (kind < 0.87) {
    // Most events of a start are the first hundred.
    const atStep = random.below(random.pick([60, 150, 400, 800]));
    return { type: 'crash', replica, atStep, downMs: random.between(200, 4_000) };
  }
  if (kind < 0.95)
    return { type: 'freeze', replica, atStep: random.below(600), ms: random.between(500, 25_000) };
  // Replicas share the clock of their database.
  if (replicas > 1) return { type: 'delivery', nth: random.below(5), how: 'twice' };
  const byMs = random.between(-120_000, 120_000);
  return { type: 'clock', replica, atMs: random.below(8_000), byMs };
}

function makeCallFault(isRuns: boolean, random: Random): CallFault {
  const kind = random.pick([
    ...['lost before', 'lost after', 'lost after', 'refused', 'broken after'],
    ...['limited', 'late', 'slow answer', isRuns ? 'stale' : 'not JSON'],
  ] as [CallFault['kind'], ...CallFault['kind'][]]);
  switch (kind) {
    case 'limited':
      return { kind, seconds: random.between(1, 5) };
    case 'late':
    case 'slow answer':
      return { kind, ms: random.between(300, 6_500) };
    default:
      return { kind };
  }
}
