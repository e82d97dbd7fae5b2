import type { App } from '@slack/bolt';
import type { BrowserContextOptions } from 'playwright-core';
import { useWorkspace } from '../../local-workspace/support/use-workspace.ts';
import { registerSampleApp } from './sample-app.ts';
import { useBrowser } from './use-browser.ts';

type OpenOptions = BrowserContextOptions & { at?: string; register?: (app: App) => void };

/** A workspace with a small app in it, and its page in a real browser. */
export function usePage() {
  const { startSocketApp } = useWorkspace();
  const browser = useBrowser();
  return async function openPage({ at = '', register, ...options }: OpenOptions = {}) {
    const pageFolder = browser.pageFolder();
    const started = await startSocketApp(register ?? registerSampleApp, {
      pageFolder,
      patient: true,
    });
    const page = await browser.open(`${started.workspace.url}/${at}`, options);
    return { ...started, page };
  };
}
