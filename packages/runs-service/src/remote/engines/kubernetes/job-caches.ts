import type { Logger } from 'base/logger';
import { JobCache } from './job-cache.ts';
import type { KubernetesApi } from './kubernetes-api.ts';

export type Place = { api: KubernetesApi; namespace: string };

type Open = { cache: JobCache; stop: AbortController; users: number };

/** One cache for all that wait in a namespace. It follows the cluster only while someone does, so an idle service costs nothing. */
export function createJobCaches({
  logger,
  relistMs,
}: {
  logger: Logger;
  relistMs?: number | undefined;
}) {
  const open = new Map<string, Open>();
  let isAway = false;

  /** Says when the cluster goes away and when it's back, not how often it was asked. */
  const onRound = (problem: unknown) => {
    if (problem !== undefined && !isAway)
      logger.warn({ err: problem }, 'cannot read the runs of the cluster');
    if (problem === undefined && isAway) logger.info('the cluster answers again');
    isAway = problem !== undefined;
  };

  function start(place: Place): Open {
    const cache = new JobCache({ ...place, relistMs, onRound });
    const stop = new AbortController();
    void cache.run(stop.signal);
    return { cache, stop, users: 0 };
  }

  return {
    use(place: Place): { cache: JobCache; release: () => void } {
      const { namespace } = place;
      const used = open.get(namespace) ?? start(place);
      open.set(namespace, used);
      used.users += 1;
      const release = () => {
        used.users -= 1;
        if (used.users > 0) return;
        used.stop.abort();
        open.delete(namespace);
      };
      return { cache: used.cache, release };
    },
  };
}
