import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  hasChromium,
  launchChromium,
  newWatchedPage,
  type PageOptions,
  whySkipped,
} from '../../packages/slack-stand-in/test/browser/support/chromium.ts';
import { createServiceRuns } from '../../src/store/service/runs/service-runs.ts';
import { acpEnvironment } from '../runs-service/harnesses/acp/acp-bed.ts';
import { harnessEvents } from '../runs-service/harnesses/steps/harness-events.ts';
import { useDatabase } from '../support/database/databases.ts';
import { createRepository, startRunsService, testKey } from '../support/runs-service.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

const hostile = `"><img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;
const name = `the pages of the runs service${hasChromium ? '' : ` (${whySkipped})`}`;
const phone = { viewport: { width: 390, height: 844 } };

/** Whether the page fits without scrolling sideways. */
const fits = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth <= innerWidth') as Promise<boolean>;

describe.skipIf(!hasChromium)(name, () => {
  const db = useDatabase();
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
  });

  async function start() {
    const events = harnessEvents.map(([, event]) => JSON.stringify(event));
    const url = createRepository({ 'events.txt': `warming up ${hostile}\n${events.join('\n')}\n` });
    const command = ['sh', '-c', 'cat events.txt; echo more >> notes.txt'];
    const service = await startRunsService({
      environments: [{ id: 'shell', isolation: 'none', repositories: [{ url }], command }],
      db: db(),
    });
    const id = await service.begin({ prompt: hostile, title: hostile, config: { name: hostile } });
    await service.until(id, 'SUCCEEDED', 'FAILED');
    return service;
  }

  /** Signs in to the list and runs `check` there. */
  async function inList(options: PageOptions, check: (page: Page) => Promise<void>) {
    const { service } = await start();
    const { page, problems } = await newWatchedPage(browser, { ...options, expected: /401/ });
    await page.goto(`${service.url}/runs`);
    await page.getByLabel('API key').fill(testKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    await check(page);
    expect(await page.title()).not.toBe('taken');
    expect(problems).toEqual([]);
    await page.context().close();
  }

  it('lead from signing in to a session with its steps, and show hostile texts as text', async () => {
    await inList({}, async (page) => {
      await page.getByLabel('Search').fill('<script>');
      await page.getByLabel('State').selectOption('SUCCEEDED');
      await page.getByRole('button', { name: 'Filter' }).click();
      expect(new URL(page.url()).searchParams.get('state')).toBe('SUCCEEDED');
      await page.getByRole('link', { name: 'onerror' }).first().click();
      await page.getByText('Finished · 4,330 tokens, $0.25').waitFor();
      expect(await page.locator('img').count()).toBe(0);
      await page.getByRole('link', { name: 'All runs' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('API key').waitFor();
    });
  });

  it("take the answer to an agent's question from those who sign in", async () => {
    const form = { elicit: { message: `Which color? ${hostile}`, field: {} } };
    const environments = [acpEnvironment('', { permissions: 'ask' })];
    const { begin, until } = await startRunsService({ environments, db: db() });
    const id = await begin({ prompt: JSON.stringify([form]) });
    const { session_link: link } = await until(id, 'INPROGRESS', 'BLOCKED');
    const { page, problems } = await newWatchedPage(browser, { expected: /401/ });
    await page.goto(link ?? '');
    await page.getByRole('link', { name: 'Sign in to answer' }).click();
    await page.getByLabel('API key').fill(testKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Your answer').fill('a warm green');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('Ada answered: a warm green').waitFor();
    await until(id, 'SUCCEEDED');
    await page.getByText('Succeeded').first().waitFor();
    expect(await page.getByLabel('Your answer').count()).toBe(0);
    expect(await page.title()).not.toBe('taken');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('keep what someone types while the run changes', async () => {
    const environments = [acpEnvironment('', { permissions: 'ask' })];
    const service = await startRunsService({ environments, db: db() });
    const id = await service.begin({
      prompt: JSON.stringify([{ elicit: { message: 'Color?', field: {} } }]),
    });
    const { session_link: link } = await service.until(id, 'BLOCKED');
    const { page } = await newWatchedPage(browser, { expected: /401/ });
    await page.goto(`${link}?sign-in=yes`);
    await page.getByLabel('API key').fill(testKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Your answer').fill('half a sen');
    const body = JSON.stringify({ message: 'later' });
    const headers = { 'content-type': 'application/json' };
    const note = { state: 'BLOCKED', note: 'Something happened' };
    await createServiceRuns(db()).change(id, ['BLOCKED'], note);
    await page.getByText('Something happened').waitFor();
    expect(await page.getByLabel('Your answer').inputValue()).toBe('half a sen');
    // An answer from elsewhere.
    await service.request(`/agent/runs/${id}/followups`, { method: 'POST', body, headers });
    await page.getByText('Ada answered: later').waitFor();
    await page.getByLabel('Your answer').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('have older pages, and the browser goes back', async () => {
    const runs = createServiceRuns(db());
    for (let number = 0; number < 60; number += 1) {
      const { id } = await runs.create(aServiceRun({ config_name: 'many' }));
      await runs.change(id, ['QUEUED'], { state: 'CANCELLED' });
    }
    await inList({}, async (page) => {
      await page.getByLabel('Name').fill('many');
      await page.getByRole('button', { name: 'Filter' }).click();
      expect(await page.getByRole('listitem').count()).toBe(50);
      await page.getByRole('link', { name: 'Older' }).click();
      await page.getByRole('link', { name: 'Older' }).waitFor({ state: 'detached' });
      expect(await page.getByRole('listitem').count()).toBe(10);
      await page.goBack();
      await page.getByRole('link', { name: 'Older' }).waitFor();
      expect(await page.getByRole('listitem').count()).toBe(50);
    });
  });

  it.each(['light', 'dark'] as const)('fit a phone, %s', async (colorScheme) => {
    await inList({ ...phone, colorScheme }, async (page) => {
      expect(await fits(page)).toBe(true);
      await page.getByRole('link', { name: 'onerror' }).first().click();
      await page.getByText('Finished').first().waitFor();
      expect(await fits(page)).toBe(true);
      const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(ground).toBe(colorScheme === 'dark' ? 'rgb(16, 19, 24)' : 'rgb(246, 247, 249)');
    });
  });
});
