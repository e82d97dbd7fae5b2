import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { launchChromium } from '../../packages/slack-stand-in/test/browser/support/chromium.ts';

/**
 * Writes the pictures of the docs from a fresh demo: `npm run screenshots`, or into another folder after `--`. Needs
 * Chromium, and a font with emoji (Debian: fonts-noto-color-emoji).
 */
const folder = process.argv[2] ?? 'docs/images';
const engineering = '#/U04ADALOVEL/C04ENGINEER';
const home = '#/U04ADALOVEL/home';
const secret = '#/U04ADALOVEL/C04SECRETS1';

type Demo = { url: string; stop: () => Promise<void> };

async function startDemo(): Promise<Demo> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slash-agent-pictures-'));
  const ports = {
    PORT: '4790',
    RUNS_SERVICE_PORT: '4791',
    GIT_HOST_PORT: '4792',
    WEBHOOKS_PORT: '4793',
  };
  const env = { ...process.env, ...ports, DATA_DIR: dataDir };
  const child = spawn(process.execPath, ['packages/demo/bin/demo.js'], {
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

/** Goes to a place as a person, and waits until the page shows it through that person's eyes. */
async function goAs(page: Page, name: string, place: string): Promise<void> {
  await page.goto(new URL(place, page.url()).href);
  await page.getByRole('button', { name: 'Switch person' }).getByText(name).waitFor();
}

async function startRun(page: Page, channel: string, prompt: string): Promise<void> {
  await type(page, channel, `/agent ${prompt}`);
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('article').getByText(prompt).first().waitFor();
}

/** Runs of several people: succeeded, failed, with a change, and one in progress. */
async function fill(page: Page): Promise<void> {
  const finished = { timeout: 60_000 };
  await goAs(page, 'Alan Turing', '#/U04ALANTURI/C04GENERAL1');
  await startRun(page, 'general', 'fail with the water sensor does not answer');
  await page.getByText('Failed').first().waitFor(finished);
  await startRun(page, 'general', 'how many lines are there');
  await page.getByText('Succeeded').first().waitFor(finished);
  await goAs(page, 'Grace Hopper', '#/U04GRACEHOP/C04ENGINEER');
  await type(
    page,
    'engineering',
    'The README does not say how to *move notes* to another machine.',
  );
  const change = 'add a line "To move your notes, copy notes.json." to README.md';
  await startRun(page, 'engineering', change);
  await page.getByText('Succeeded').first().waitFor(finished);
  await publish(page);
  await goAs(page, 'Ada Lovelace', engineering);
  await startRun(page, 'engineering', 'count the TODO comments, then wait 90 seconds');
  await page.getByText('In progress').first().waitFor(finished);
}

/** Creates a pull request for the newest run that offers it. */
async function publish(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create pull request' }).last().click();
  const form = page.getByRole('dialog');
  await form.waitFor();
  await form.getByRole('button', { name: 'Create', exact: true }).click();
  await form.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'View pull request' }).waitFor({ timeout: 30_000 });
}

async function openPage(browser: Browser): Promise<Page> {
  const viewport = { width: 1280, height: 800 };
  return browser.newPage({ viewport, deviceScaleFactor: 1.5 });
}

const take = (page: Page, name: string) => page.screenshot({ path: join(folder, `${name}.png`) });

/** A channel, the changes of a run, the form, and Home. */
async function takeRuns(browser: Browser, url: string): Promise<void> {
  const page = await openPage(browser);
  await page.goto(`${url}/${engineering}`);
  await page.getByLabel('Message #engineering').waitFor();
  await fill(page);
  await take(page, 'channel');
  await page.getByRole('button', { name: 'View changes' }).last().click();
  await page.getByRole('dialog').getByText('README.md').first().waitFor();
  await take(page, 'changes');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await type(page, 'engineering', '/agent why is the checkout slow?');
  await page.getByRole('dialog').waitFor();
  await take(page, 'modal');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.goto(new URL(home, page.url()).href);
  const mine = page.getByRole('tabpanel').getByRole('button', { name: 'My runs' });
  await page.getByText(/TODO/).first().waitFor();
  if (await mine.isVisible()) {
    await mine.click();
    await page.getByRole('option', { name: /Everyone/ }).click();
  }
  await page
    .getByText(/water sensor/)
    .first()
    .waitFor();
  await page.getByText(/Loading runs/).waitFor({ state: 'detached' });
  await page.mouse.click(5, 5);
  await take(page, 'home');
  await page.close();
}

/** An agent that asks, in the thread of its run, and the plan of a run in progress. */
async function takeConversation(browser: Browser, url: string): Promise<void> {
  const page = await openPage(browser);
  const startAsAda = async (prompt: string, words: string) => {
    await page.goto(`${url}/${secret}`);
    await page.getByLabel('Message #secret-project').waitFor();
    await startRun(page, 'secret-project', prompt);
    const message = page.getByRole('article').filter({ hasText: prompt }).last();
    await message.getByText(words).first().waitFor({ timeout: 60_000 });
    return message;
  };
  const asking = await startAsAda('delete README.md', 'Needs input');
  await asking.getByRole('button', { name: /repl/ }).click();
  const thread = page.getByRole('complementary', { name: 'Thread' });
  await thread.getByRole('button', { name: 'Allow once' }).waitFor();
  await take(page, 'question');
  await thread.getByRole('button', { name: 'Deny' }).click();
  await thread.getByText('✅').first().waitFor({ timeout: 60_000 });
  const steps =
    'count the TODO comments, then list the files, then wait 60 seconds, then count the lines';
  const planned = await startAsAda(steps, 'In progress');
  const plan = planned.locator('.plan-block');
  await plan.locator('summary').click();
  await plan.locator('summary').filter({ hasText: 'Wait' }).waitFor({ timeout: 60_000 });
  await plan.getByText('Count the lines').scrollIntoViewIfNeeded();
  await page.mouse.move(5, 5);
  await take(page, 'plan');
  await planned.hover();
  await planned.getByRole('button', { name: 'Reply in thread' }).click();
  await thread.getByRole('status', { name: 'Agent session' }).getByText('Working').waitFor();
  await take(page, 'session');
  await page.close();
}

/** Takes pictures of the app's own messages with what it suggests, and of an admin's rules. */
async function takeApp(browser: Browser, url: string): Promise<void> {
  const page = await openPage(browser);
  await page.goto(`${url}/${engineering}`);
  await startRun(page, 'engineering', 'how many lines are there');
  const message = page.getByRole('article').filter({ hasText: 'how many lines' }).last();
  // Until then, the two runs that wait may take both places on two cores.
  await message.getByText('Succeeded').first().waitFor({ timeout: 120_000 });
  await page.goto(`${url}/${home}`);
  await page.getByRole('tab', { name: 'Messages' }).click();
  await page.getByText('The app knows that you came from').waitFor();
  await page.locator('.suggestions button').first().waitFor();
  await take(page, 'agent-pane');
  await page.goto(`${url}/${engineering}`);
  await type(page, 'engineering', '/agent help');
  await page.getByRole('button', { name: 'Open form' }).waitFor();
  await take(page, 'help');
  await type(page, 'engineering', '/agent usage everyone');
  await page.getByText("Everyone's runs cost").waitFor();
  await take(page, 'usage');
  await type(page, 'engineering', '/agent settings');
  const dialog = page.getByRole('dialog').last();
  await dialog.getByRole('button', { name: 'Rules' }).waitFor();
  await take(page, 'settings');
  await dialog.getByRole('button', { name: 'Rules' }).click();
  await dialog.getByRole('button', { name: 'Add rule' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Weekend freeze');
  await dialog.getByLabel('Block (optional)', { exact: true }).click();
  await page.getByRole('option', { name: 'Start runs', exact: true }).click();
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('1. Weekend freeze').waitFor();
  await take(page, 'rules');
  await page.close();
}

/** Takes a picture of the automations, of which one has started a run for 👀 on an alert. */
async function takeAutomations(browser: Browser, url: string): Promise<void> {
  const page = await openPage(browser);
  await page.goto(`${url}/#/U04GRACEHOP/C04ALERTS01`);
  const alert = page.getByRole('article').filter({ hasText: 'HighErrorRate' }).first();
  await alert.hover();
  await alert.getByRole('button', { name: 'Add reaction' }).click();
  await page.getByRole('menuitem', { name: /eyes/ }).click();
  await alert.getByRole('button', { name: /repl/ }).click({ timeout: 60_000 });
  const thread = page.getByRole('complementary', { name: 'Thread' });
  await thread.getByText('Succeeded').first().waitFor({ timeout: 60_000 });
  await goAs(page, 'Ada Lovelace', engineering);
  for (const schedule of [
    'every weekday at 9:00 | check the dependencies for security updates',
    'first Monday of the month at 8:30 | list the files that nobody uses',
  ]) {
    await type(page, 'engineering', `/agent schedule ${schedule}`);
    await page
      .getByText(schedule.split(' | ')[0] ?? '')
      .last()
      .waitFor();
  }
  await type(page, 'engineering', '/agent automations');
  await page.getByRole('dialog').getByText('every weekday at 9:00').waitFor();
  await page.mouse.move(5, 5);
  await take(page, 'automations');
  await page.close();
}

/** Takes pictures of a run's session page, on a desktop and on a phone. */
async function takeRunPage(browser: Browser, url: string): Promise<void> {
  const page = await openPage(browser);
  await page.goto(`${url}/${engineering}`);
  const message = page.getByRole('article').filter({ hasText: 'To move your notes' }).last();
  const link = message.getByRole('link', { name: 'Open session' });
  const address = await link.getAttribute('href');
  if (!address) throw new Error('the finished run has no session link');
  await page.goto(address);
  await page.getByText('Succeeded').first().waitFor();
  await take(page, 'run-page');
  await page.close();
  const phone = await browser.newPage({
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    isMobile: true,
  });
  await phone.goto(address);
  await phone.getByText('Succeeded').first().waitFor();
  await take(phone, 'run-page-phone');
  await phone.close();
}

/** Makes the animated picture of the README: a run from the command to its pull request. */
async function animateRun(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1000, height: 640 } });
  const frames: { picture: Buffer; ms: number }[] = [];
  const show = async (ms: number) => void frames.push({ picture: await page.screenshot(), ms });
  await page.goto(`${url}/#/U04GRACEHOP/C04GENERAL1`);
  const channel = await page
    .getByRole('textbox', { name: /^Message #/ })
    .getAttribute('aria-label');
  const composer = page.getByLabel(channel ?? '');
  const change = 'add a line "Notes are kept in notes.json." to README.md';
  await composer.click();
  await show(1_000);
  await composer.fill(`/agent ${change}`);
  await show(1_800);
  await composer.press('Enter');
  await page.getByRole('dialog').waitFor();
  await show(1_800);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText('In progress').last().waitFor({ timeout: 60_000 });
  await show(1_500);
  await page.getByText('Succeeded').last().waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Create pull request' }).last().waitFor();
  await page.mouse.move(5, 5);
  await show(3_000);
  await publish(page);
  await page.mouse.move(5, 5);
  await show(4_000);
  await page.close();
  await sharp(
    frames.map(({ picture }) => picture),
    { join: { animated: true } },
  )
    .gif({ delay: frames.map(({ ms }) => ms), loop: 0, colours: 128, dither: 0 })
    .toFile(join(folder, 'demo.gif'));
}

/** Throws without a font for emoji, because the pictures would show boxes in their place. */
function assertEmojiFont(): void {
  if (execFileSync('fc-list', [':lang=und-zsye'], { encoding: 'utf8' }).trim() !== '') return;
  throw new Error('No font has emoji. Install one, such as fonts-noto-color-emoji on Debian.');
}

assertEmojiFont();
mkdirSync(folder, { recursive: true });
const demo = await startDemo();
const browser = await launchChromium();
try {
  await animateRun(browser, demo.url);
  await takeRuns(browser, demo.url);
  await takeRunPage(browser, demo.url);
  await takeConversation(browser, demo.url);
  await takeApp(browser, demo.url);
  await takeAutomations(browser, demo.url);
} finally {
  await browser.close();
  await demo.stop();
}
