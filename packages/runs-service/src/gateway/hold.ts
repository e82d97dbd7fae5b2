import type { CapState } from '../store/spend-cap.ts';
import type { RunAccess } from './run-access.ts';

/** Waits until a person decides if a run can spend more than a cap. All calls of a run join one question. */
export type Hold = (over: {
  run: RunAccess;
  state: CapState;
  /** Aborts when the agent disconnects. The question stays open. */
  signal: AbortSignal;
  /** Called when the call starts to wait for a person, and when it no longer waits. */
  onHeld: () => void;
  onReleased: () => void;
}) => Promise<{ outcome: 'allowed' } | { outcome: 'stopped'; message: string } | { outcome: 'gone' }>;
