import type { App } from '@slack/bolt';
import { freePort } from '../../../../base/test/support/free-port.ts';
import type { Welcome } from '../../../src/page-server/page-entry.ts';
import { useWorkspace } from '../../support/use-workspace.ts';
import type { PageOptions } from './chromium.ts';
import { registerSampleApp } from './sample-app.ts';
import { useBrowser } from './use-browser.ts';

type OpenOptions = PageOptions & {
  at?: string;
  register?: (app: App) => void;
  welcome?: Welcome;
};

/** Starts a workspace with a small app, and opens its page in a real browser. */
export function usePage() {
  const { startSocketApp, startWorkspace } = useWorkspace();
  const browser = useBrowser();
  return async function openPage({ at = '', register, welcome, ...options }: OpenOptions = {}) {
    const pageFolder = browser.pageFolder();
    const port = await freePort();
    const started = await startSocketApp(register ?? registerSampleApp, {
      pageFolder,
      port,
      keepTriggers: true,
      ...(welcome && { welcome }),
    });
    const page = await browser.open(`${started.workspace.url}/${at}`, options);
    /** Starts a second workspace at the address of the first, which has stopped. */
    const startAgain = () => startWorkspace({ pageFolder, port });
    return { ...started, page, startAgain };
  };
}
