import type { App } from '@slack/bolt';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { useWorkspace } from '../../local-workspace/support/use-workspace.ts';
import { launchChromium, newWatchedPage } from './chromium.ts';
import { buildPage } from './page-bundle.ts';
import { registerSampleApp } from './sample-app.ts';

type OpenOptions = BrowserContextOptions & { at?: string; register?: (app: App) => void };

/** A workspace with an app, and its page in a real browser. After each test nothing may have gone wrong in it. */
export function usePage() {
  const { startSocketApp, onCleanUp } = useWorkspace();
  let browser: Browser;
  let pageFolder: URL;
  let problems: string[] = [];

  beforeAll(async () => {
    [browser, pageFolder] = await Promise.all([launchChromium(), buildPage()]);
  });
  afterAll(async () => {
    await browser.close();
  });
  afterEach(() => {
    expect(problems.splice(0)).toEqual([]);
  });

  return async function openPage({ at = '', register, ...options }: OpenOptions = {}) {
    const started = await startSocketApp(register ?? registerSampleApp, {
      pageFolder,
      patient: true,
    });
    const watched = await newWatchedPage(browser, options);
    problems = watched.problems;
    onCleanUp(() => watched.page.context().close());
    await watched.page.goto(`${started.workspace.url}/${at}`);
    return { ...started, page: watched.page };
  };
}
