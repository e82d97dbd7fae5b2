import type { OpenModels } from '../../execution/model-access.ts';
import type { RunClock } from '../../execution/run-clock.ts';
import type { KnownSpending, Spending } from '../protocol.ts';

/** Time that the agent has to end after its calls are rejected, in ms. */
const endAfterMs = 30_000;

export type SpendNews = {
  /** Returns what this process knows, so that the service answers at once when something else is true. */
  known(): KnownSpending;
  learn(now: Spending): void;
  /** Pauses the clock while a call of the run waits for a person. Returns a function that ends that. */
  pauseWhileHeld(clock: Pick<RunClock, 'pause' | 'resume'>): () => void;
} & Pick<OpenModels, 'stopped' | 'stopReason'>;

/** Keeps what the service's answers to reports say about the run's spending. */
export function createSpendNews(): SpendNews {
  const stopped = new AbortController();
  const clocks = new Set<Pick<RunClock, 'pause' | 'resume'>>();
  let isHeld = false;
  let message: string | undefined;

  function hold(now: boolean): void {
    if (now === isHeld) return;
    isHeld = now;
    for (const clock of clocks)
      if (isHeld) clock.pause();
      else clock.resume();
  }

  return {
    known: () => ({ is_held: isHeld, is_stopped: message !== undefined }),
    learn({ is_held: now, stopped: why }): void {
      hold(now);
      if (why === undefined || message !== undefined) return;
      message = why;
      setTimeout(() => stopped.abort(why), endAfterMs).unref();
    },
    pauseWhileHeld(clock) {
      clocks.add(clock);
      if (isHeld) clock.pause();
      return () => {
        if (clocks.delete(clock) && isHeld) clock.resume();
      };
    },
    stopped: stopped.signal,
    stopReason: () => message,
  };
}
