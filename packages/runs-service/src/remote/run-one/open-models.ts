import type { Logger } from 'base/logger';
import type { OpenModelAccess } from '../../execution/model-access.ts';
import { listenForRun } from '../../gateway/listen-for-run.ts';
import type { Work } from '../protocol.ts';
import { createForwarder } from './forward-calls.ts';
import type { SpendNews } from './spend-news.ts';

/** Opens the access of this process's run to models. Its calls go to the service, which has the keys. */
export const openModelsOverHttp =
  ({
    work,
    serviceUrl,
    spending,
    logger,
  }: {
    work: Work;
    serviceUrl: string;
    spending: SpendNews;
    logger: Logger;
  }): OpenModelAccess =>
  async ({ clock, listenOn }) => {
    const { providers } = work.environment;
    const { model_token: token } = work;
    if (!providers || token === undefined) throw new Error('The work has no models.');
    const forward = createForwarder({ serviceUrl, token, providers, logger });
    const listener = await listenForRun(forward, listenOn);
    const resume = spending.pauseWhileHeld(clock);
    return {
      token,
      address: listener.address,
      providers,
      stopped: spending.stopped,
      stopReason: spending.stopReason,
      async close() {
        resume();
        await listener.close();
      },
    };
  };
