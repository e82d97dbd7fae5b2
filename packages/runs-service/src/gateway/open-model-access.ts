import { ExplainedError } from 'base/explained-error';
import { sleep } from 'base/sleep';
import { withSoftTimeout } from 'base/time/soft-timeout';
import type { OpenModelAccess } from '../execution/model-access.ts';
import type { StoredRun } from '../store/runs.ts';
import { accessOfRun } from './access-of-run.ts';
import { agentProviders } from './agent-providers.ts';
import type { Gateway } from './gateway.ts';
import { listenForRun } from './listen-for-run.ts';
import { createToken, hashToken } from './tokens.ts';

/** Time that an agent has to end after its calls are rejected because of spending, in ms. */
const stopGraceMs = 30_000;
/** Max wait for calls to be settled when the access closes, in ms. Afterward, they're settled in the background. */
const settleMs = 5_000;

type AccessDeps = {
  gateway: Pick<Gateway, 'handlerFor' | 'whenIdle'>;
  readRun: (runId: string, signal: AbortSignal) => Promise<StoredRun | undefined>;
  /** Stores the hash of the run's token. Returns false if the run isn't active on this machine. */
  setToken: (runId: string, tokenHash: string, signal: AbortSignal) => Promise<boolean>;
  /** Adds a line to the run's timeline. */
  note: (runId: string, text: string) => void;
  graceMs?: number;
};

/** Creates the function that opens a run's access to models on the service's machine. */
export function createOpenModelAccess({
  gateway,
  readRun,
  setToken,
  note,
  graceMs = stopGraceMs,
}: AccessDeps): OpenModelAccess {
  return async ({ run: { id }, environment, clock, listenOn, signal }) => {
    const token = createToken();
    const tokenHash = hashToken(token);
    const run = await readRun(id, signal);
    if (!run || !(await setToken(id, tokenHash, signal)))
      throw new ExplainedError("The run isn't active on this machine anymore.");
    const closed = new AbortController();
    const stopped = new AbortController();
    let stopReason: string | undefined;
    const access = accessOfRun(run, environment, {
      tokenHash,
      clock,
      note: (text) => note(id, text),
      onStopped(message) {
        if (stopReason !== undefined) return;
        stopReason = message;
        void sleep(graceMs, closed.signal).then(() => {
          if (!closed.signal.aborted) stopped.abort(message);
        });
      },
      signal: AbortSignal.any([signal, closed.signal]),
    });
    const listener = await listenForRun(gateway.handlerFor(access), listenOn);
    return {
      token,
      address: listener.address,
      providers: agentProviders(access.providers, access.models),
      stopped: stopped.signal,
      stopReason: () => stopReason,
      async close() {
        closed.abort();
        await listener.close();
        await withSoftTimeout(gateway.whenIdle(id), settleMs);
      },
    };
  };
}
