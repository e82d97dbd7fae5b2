import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** True if a browser is installed. The preview draws pictures only then. */
export const hasChromium = existsSync(executablePath);
export const whySkipped = `skipped: there is no Chromium at ${executablePath}`;

export async function launchChromium(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-quic', '--disable-background-networking'];
  return await chromium.launch({ executablePath, args, headless: true });
}

/** Options of a page. `expected` matches console errors that the test itself causes. */
export type PageOptions = BrowserContextOptions & { expected?: RegExp };

/** Opens a page and records its problems: exceptions, console errors, requests to other hosts. */
export async function newWatchedPage(
  browser: Browser,
  { expected, ...options }: PageOptions = {},
): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  // Keep this below a test's own limit, so that a failure names the missing element.
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
