import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './support/chromium.ts';

/** Writes the pictures of the README from a fresh demo: `npm run screenshots`, after `npm run build`. */
const folder = process.argv[2] ?? 'docs/images';
const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };
const engineering = '#/U04ADALOVEL/C04ENGINEER';
const home = '#/U04ADALOVEL/home';
const alerts = '#/U04ADALOVEL/C04ALERTS01';

type Demo = { url: string; stop: () => Promise<void> };

async function startDemo(): Promise<Demo> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slash-agent-pictures-'));
  const env = { ...process.env, PORT: '4790', RUNS_SERVICE_PORT: '4791', DATA_DIR: dataDir };
  const child = spawn(process.execPath, ['dist/demo.js'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  };
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (data) => {
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(String(data));
      if (found) resolve(found[0]);
    });
    child.once('exit', () => reject(new Error('the demo ended before it had started')));
  });
  return { url, stop };
}

async function type(page: Page, channel: string, text: string): Promise<void> {
  const composer = page.getByLabel(`Message #${channel}`);
  await composer.fill(text);
  await composer.press('Enter');
}

async function startRun(page: Page, prompt: string): Promise<void> {
  await type(page, 'engineering', `/agent ${prompt}`);
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('article').getByText(prompt).first().waitFor();
}

/** Two runs, one finished and one new, talked about in the channel. */
async function fill(page: Page): Promise<void> {
  await type(page, 'engineering', 'Checkout has been slow since the last release. Any ideas?');
  await startRun(page, 'count the TODO comments and say which are old');
  await page
    .getByText(/Succeeded/i)
    .first()
    .waitFor({ timeout: 60_000 });
  await startRun(page, 'find out why the login test is flaky and mend it');
}

type Look = { colorScheme: 'light' | 'dark'; viewport: typeof desktop; suffix: string };

const looks: Look[] = [
  { colorScheme: 'light', viewport: desktop, suffix: '' },
  { colorScheme: 'dark', viewport: desktop, suffix: '-dark' },
  { colorScheme: 'light', viewport: phone, suffix: '-phone' },
];

async function takeAll(browser: Browser, url: string): Promise<void> {
  for (const { colorScheme, viewport, suffix } of looks) {
    const isMobile = viewport === phone;
    const device = { deviceScaleFactor: 1.5, isMobile, hasTouch: isMobile };
    const context = await browser.newContext({ colorScheme, viewport, ...device });
    const page = await context.newPage();
    await page.goto(`${url}/${engineering}`);
    await page.getByLabel('Message #engineering').waitFor();
    if (suffix === '') await fill(page);
    await page.getByText(/flaky/).first().waitFor();
    await takeEach(page, (name) => page.screenshot({ path: join(folder, `${name}${suffix}.png`) }));
    await context.close();
  }
}

async function takeEach(page: Page, take: (name: string) => Promise<unknown>): Promise<void> {
  await take('channel');
  await page.getByLabel('Message #engineering').fill('/');
  await page.getByRole('option').first().waitFor();
  await take('command');
  await type(page, 'engineering', '/agent why is the checkout slow?');
  await page.getByRole('dialog').waitFor();
  await take('modal');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.goto(new URL(home, page.url()).href);
  await page.getByRole('tabpanel').getByText(/flaky/).first().waitFor();
  await take('home');
  await page.goto(new URL(alerts, page.url()).href);
  await page.getByRole('article').first().waitFor();
  if (page.viewportSize()?.width === desktop.width) {
    await page.getByRole('button', { name: 'Traffic' }).click();
    await page.locator('.traffic-line').last().click();
  }
  await take('traffic');
}

mkdirSync(folder, { recursive: true });
const demo = await startDemo();
const browser = await launchChromium();
try {
  await takeAll(browser, demo.url);
} finally {
  await browser.close();
  await demo.stop();
}
