import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** For the preview, whose pictures are optional. */
export const hasChromium = existsSync(executablePath);
export const whySkipped = `skipped: there is no Chromium at ${executablePath}`;

export async function launchChromium(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-quic', '--disable-background-networking'];
  return await chromium.launch({ executablePath, args, headless: true });
}

/** `expected`: console errors that the test itself causes. */
export type PageOptions = BrowserContextOptions & { expected?: RegExp };

/** A page and its problems: exceptions, console errors, foreign requests. */
export async function newWatchedPage(
  browser: Browser,
  { expected, ...options }: PageOptions = {},
): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  // Below a test's own limit, so that a failure shows what it waited for.
  page.setDefaultTimeout(60_000);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`exception: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error' || expected?.test(message.text())) return;
    problems.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (/^(http|ws)/.test(protocol) && hostname !== '127.0.0.1') problems.push(request.url());
  });
  return { page, problems };
}
