import type { WebClient } from '@slack/web-api';
import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import type { HomeViews } from '../../store/people/home-views.ts';
import { type HomeScreen, refreshEveryMs } from './home-screen.ts';

type RefresherParts = {
  views: Pick<HomeViews, 'takeDue'>;
  screenOf(teamId: string): Pick<HomeScreen, 'refresh'>;
  clientOf(teamId: string): WebClient;
  logger: Logger;
};

const everyMs = 2_000;
/** In each workspace, by all replicas in this time: at most 90 publishes a minute. Slack allows 100. */
const mostAtOnce = 3;

/** Refreshes Home tabs that were opened or clicked in the last minutes. */
export function createHomeRefresher({ views, screenOf, clientOf, logger }: RefresherParts) {
  async function refreshDue(): Promise<number> {
    const now = Date.now();
    try {
      const next = now + refreshEveryMs;
      const due = await views.takeDue({ now, next, everyMs, limit: mostAtOnce });
      for (const state of due) await screenOf(state.teamId).refresh(clientOf(state.teamId), state);
    } catch (error) {
      // It's due again after `refreshEveryMs`.
      logger.warn({ err: error }, 'could not refresh a Home tab');
    }
    return everyMs;
  }

  return new Loop(refreshDue);
}
