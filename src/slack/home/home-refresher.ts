import type { WebClient } from '@slack/web-api';
import type { Logger } from '../../lib/logger.ts';
import { Loop } from '../../lib/loop.ts';
import type { HomeViews } from '../../store/home-views.ts';
import { type HomeScreen, refreshEveryMs } from './home-screen.ts';

type RefresherParts = {
  views: Pick<HomeViews, 'takeDue'>;
  screen: Pick<HomeScreen, 'refresh'>;
  client: WebClient;
  logger: Logger;
};

const everyMs = 2_000;
/** Per tick: 90 publishes a minute at most, below the 100 that Slack takes of `views.publish`. */
const mostAtOnce = 3;

/** Keeps Home tabs fresh that somebody has opened or clicked in the last minutes. */
export function createHomeRefresher({ views, screen, client, logger }: RefresherParts) {
  async function refreshDue(): Promise<number> {
    const now = Date.now();
    try {
      const due = await views.takeDue({ now, next: now + refreshEveryMs, limit: mostAtOnce });
      for (const state of due) await screen.refresh(client, state);
    } catch (error) {
      // A view that cannot be shown now comes again in a quarter of a minute.
      logger.warn({ err: error }, 'Home not refreshed');
    }
    return everyMs;
  }

  return new Loop(refreshDue);
}
