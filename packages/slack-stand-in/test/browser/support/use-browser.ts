import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeAll, expect } from 'vitest';
import { launchChromium, newWatchedPage, type PageOptions } from './chromium.ts';
import { buildPage } from './page-bundle.ts';

/**
 * The browser and the bundle. All test files of a worker share them, because a start takes as long as several tests.
 */
const shared: { browser?: Promise<Browser>; folder?: Promise<URL> } = {};

async function sharedBrowser(): Promise<Browser> {
  const running = await shared.browser?.catch(() => undefined);
  if (running?.isConnected()) return running;
  shared.browser = launchChromium();
  return shared.browser;
}

/** Starts a browser and bundles the page. Errors in its pages fail the test. */
export function useBrowser() {
  let browser: Browser;
  let folder: URL;
  const opened: { page: Page; problems: string[] }[] = [];

  beforeAll(async () => {
    shared.folder ??= buildPage();
    [browser, folder] = await Promise.all([sharedBrowser(), shared.folder]);
  });
  afterEach(async () => {
    const problems = opened.flatMap((each) => each.problems);
    for (const { page } of opened.splice(0)) await page.context().close();
    expect(problems).toEqual([]);
  });

  return {
    pageFolder: () => folder,
    open: async (url: string, options: PageOptions = {}): Promise<Page> => {
      const watched = await newWatchedPage(browser, options);
      opened.push(watched);
      await watched.page.goto(url);
      return watched.page;
    },
  };
}
