import type { Logger } from '../../../lib/logger.ts';
import { JobBoard } from './job-board.ts';
import type { KubernetesApi } from './kubernetes-api.ts';

type Open = { board: JobBoard; stop: AbortController; users: number };

/** One board for all that wait. It follows the cluster only while someone does, so an idle service costs nothing. */
export function createBoards({
  logger,
  relistMs,
}: {
  logger: Logger;
  relistMs?: number | undefined;
}) {
  let open: Open | undefined;
  let isAway = false;

  /** Says when the cluster goes away and when it's back, not how often it was asked. */
  const onRound = (problem: unknown) => {
    if (problem !== undefined && !isAway)
      logger.warn({ err: problem }, 'cannot read the runs of the cluster');
    if (problem === undefined && isAway) logger.info('the cluster answers again');
    isAway = problem !== undefined;
  };

  function start(api: KubernetesApi): Open {
    const board = new JobBoard({ api, namespace: api.namespace, relistMs, onRound });
    const stop = new AbortController();
    void board.run(stop.signal);
    return { board, stop, users: 0 };
  }

  return {
    use(api: KubernetesApi): { board: JobBoard; release: () => void } {
      open ??= start(api);
      const used = open;
      used.users += 1;
      const release = () => {
        used.users -= 1;
        if (used.users > 0) return;
        used.stop.abort();
        if (open === used) open = undefined;
      };
      return { board: used.board, release };
    },
  };
}
