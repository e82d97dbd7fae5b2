import type { Random } from '../random.ts';
import { describeCallFault } from './describe-plan.ts';
import type { CallFault, Fault } from './plan.ts';
import type { Owner, Scheduler } from './scheduler.ts';

/** An HTTP response on the wire. */
export type WireAnswer = { status: number; headers: Record<string, string>; body: string };

export type Log = (line: string) => void;

export type NetworkDeps = {
  scheduler: Scheduler;
  random: Random;
  faults: readonly Fault[];
  log: Log;
  /** Crashes a bot after its next events. */
  crashSoon(owner: Owner, how: { afterSteps: number; downMs: number }): void;
};

/** One call of a bot, with its effect in a model. */
export type NetworkCall = {
  /** Name of the called method, such as `slack chat.update`. */
  target: string;
  /** Description of the call for the log. */
  about: string;
  /** Applies the call. Without `isReal`, only returns an earlier response. */
  apply(): WireAnswer;
  stale?: () => WireAnswer;
  /** Called in the bot's process. Each call gets exactly one of these. */
  answered(answer: WireAnswer): void;
  lost(): void;
};

const usualMs = 60;

/** Passes calls of the bots to the models, with a delay in each direction, and breaks those of the plan. */
export function createNetwork({ scheduler, random, faults, log, crashSoon }: NetworkDeps) {
  const counts = new Map<string, number>();
  let isCalm = false;
  let pending = 0;

  function faultOf(target: string): CallFault | undefined {
    const [service = ''] = target.split(' ');
    let found: CallFault | undefined;
    for (const each of [target, `${service} any`]) {
      const nth = counts.get(each) ?? 0;
      counts.set(each, nth + 1);
      for (const fault of faults)
        if (fault.type === 'call' && fault.target === each && fault.nth === nth)
          found = fault.fault;
    }
    return isCalm ? undefined : found;
  }

  const latencyMs = () => 1 + random.next() ** 3 * usualMs;

  return {
    /** Stops breaking calls, when the faults are over. */
    calm(): void {
      isCalm = true;
    },

    /** Returns the number of calls without an effect so far. */
    pending: () => pending,

    send(call: NetworkCall): void {
      const owner = scheduler.current as Owner;
      const fault = faultOf(call.target);
      const title = `${owner.name} ${call.target} ${call.about}`;
      log(fault ? `${title} ⚡ ${describeCallFault(fault)}` : title);
      const answer = (given: WireAnswer, afterMs = latencyMs()) =>
        scheduler.in(afterMs, owner, () => call.answered(given));
      const lose = (afterMs = latencyMs()) => scheduler.in(afterMs, owner, () => call.lost());
      const arrive = (afterMs: number, then: () => void) => {
        pending += 1;
        scheduler.in(afterMs, undefined, () => {
          pending -= 1;
          log(`  arrives: ${title}`);
          then();
        });
      };
      switch (fault?.kind) {
        case 'lost before':
          return void lose();
        case 'rejected':
          return void answer({ status: 503, headers: {}, body: '{}' });
        case 'limited': {
          const headers = { 'retry-after': String(fault.seconds) };
          const body = JSON.stringify({ ok: false, error: 'ratelimited' });
          return void answer({ status: 429, headers, body });
        }
        case 'not JSON':
          return void answer({
            status: 200,
            headers: {},
            body: '<html>Sign in to the proxy</html>',
          });
        case 'lost after':
          return void arrive(latencyMs(), () => {
            call.apply();
            lose();
          });
        case 'broken after':
          return void arrive(latencyMs(), () => {
            call.apply();
            answer({ status: 502, headers: {}, body: '<html>Bad gateway</html>' });
          });
        case 'late':
          return void arrive(fault.ms, () => answer(call.apply()));
        case 'slow answer':
          return void arrive(latencyMs(), () => answer(call.apply(), fault.ms));
        case 'caller crashes':
          return void arrive(latencyMs(), () => {
            answer(call.apply());
            crashSoon(owner, fault);
          });
        case 'stale':
          return void arrive(latencyMs(), () => answer((call.stale ?? call.apply)()));
        case undefined:
          return void arrive(latencyMs(), () => answer(call.apply()));
      }
    },
  };
}

export type Network = ReturnType<typeof createNetwork>;
