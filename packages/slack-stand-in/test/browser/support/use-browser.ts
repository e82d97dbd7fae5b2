import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { launchChromium, newWatchedPage, type PageOptions } from './chromium.ts';
import { buildPage } from './page-bundle.ts';

/** One browser and one bundle per test file. Errors in its pages fail the test. */
export function useBrowser() {
  let browser: Browser;
  let folder: URL;
  const opened: { page: Page; problems: string[] }[] = [];

  beforeAll(async () => {
    [browser, folder] = await Promise.all([launchChromium(), buildPage()]);
  });
  afterAll(async () => {
    await browser.close();
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
