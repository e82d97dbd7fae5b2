import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import { Loop } from 'base/time/loop';
import type { Dispatches, StoredDispatch } from '../../store/dispatches.ts';

const pollMs = 1_000;
/** Max pause while there are no readers, in ms. A new reader ends the pause. */
const idleMs = 60_000;

type Reader = { wake: () => void; row?: StoredDispatch };

/** Creates a poller that reads the attempts of all runs that this process follows, with one query a second. */
export function createDispatchPoller(dispatches: Pick<Dispatches, 'of'>, logger: Logger) {
  const readers = new Map<string, Reader>();
  const loop = new Loop(async () => {
    if (readers.size > 0) await poll();
    return readers.size > 0 ? pollMs : idleMs;
  });

  async function poll(): Promise<void> {
    const ids = [...readers.keys()];
    try {
      const rows = new Map((await dispatches.of(ids)).map((row) => [row.run_id, row]));
      for (const [id, reader] of readers) {
        const row = rows.get(id);
        if (!row || !ids.includes(id)) continue;
        reader.row = row;
        reader.wake();
      }
    } catch (error) {
      // Only log the failure, because the runs continue on their runners while the database is down.
      logger.error({ err: error }, 'cannot read the attempts of runs');
    }
  }

  return {
    start: () => loop.start(),
    stop: () => loop.stop(),

    /** Yields the row of the run's newest attempt after each poll, until the signal aborts. */
    async *follow(runId: string, signal: AbortSignal): AsyncGenerator<StoredDispatch> {
      let pause = new AbortController();
      const reader: Reader = { wake: () => pause.abort('woken') };
      readers.set(runId, reader);
      loop.wake();
      try {
        while (!signal.aborted) {
          if (!reader.row) {
            const stop = () => pause.abort('over');
            signal.addEventListener('abort', stop, { once: true });
            await sleep(2 ** 31 - 1, pause.signal);
            signal.removeEventListener('abort', stop);
            pause = new AbortController();
          }
          const { row } = reader;
          delete reader.row;
          if (row && !signal.aborted) yield row;
        }
      } finally {
        readers.delete(runId);
      }
    },

    /** Polls immediately instead of after the pause. */
    wake: (): void => loop.wake(),
  };
}
export type DispatchPoller = ReturnType<typeof createDispatchPoller>;
