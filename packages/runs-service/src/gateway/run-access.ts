import type { ModelProvider } from '../environments/models-config.ts';
import type { RunClock } from '../execution/run-clock.ts';
import type { SpendCap } from '../store/spend-cap.ts';

/** Information that the gateway has about one run in progress. */
export type RunAccess = {
  runId: string;
  environmentId: string;
  /** SHA-256 of the run's token, in hex. */
  tokenHash: string;
  providers: readonly ModelProvider[];
  /** Models that the run's limits allow. Undefined if the run can use all models that its providers allow. */
  models: readonly string[] | undefined;
  caps: readonly SpendCap[];
  /** Keys of all counters that the run's calls belong to. */
  spendKeys: readonly string[];
  labels: { workspace: string | undefined; person: string; channel: string | undefined };
  /** Max time until a streaming call gets its response headers while it's held, in ms. */
  headersWithinMs: number;
  /** Paused while at least one call of the run waits for a person. */
  clock: Pick<RunClock, 'pause' | 'resume'>;
  /** Adds a line about a problem to the run's timeline. */
  note: (text: string) => void;
  /** Called when the run can't spend more. The run ends a short time later. Can be called several times. */
  onStopped: (message: string) => void;
  /** Aborts when the access ends. All calls in progress are then canceled. */
  signal: AbortSignal;
};
