import type { Browser, Page } from 'playwright-core';
import { createRuns } from 'runs-service/store/runs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acpEnvironment } from '../../packages/runs-service/test/harnesses/acp/acp-bed.ts';
import { harnessEvents } from '../../packages/runs-service/test/harnesses/steps/harness-events.ts';
import { useDatabase } from '../../packages/runs-service/test/support/databases.ts';
import {
  createRepository,
  startRunsService,
  testKey,
} from '../../packages/runs-service/test/support/runs-service.ts';
import { aServiceRun } from '../../packages/runs-service/test/support/service/service-run-builder.ts';
import {
  launchChromium,
  newWatchedPage,
  type PageOptions,
} from '../../packages/slack-stand-in/test/browser/support/chromium.ts';

const hostile = `"><img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;
const phone = { viewport: { width: 390, height: 844 } };

/** True if the page fits without scrolling sideways. */
const fits = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth <= innerWidth') as Promise<boolean>;

describe('the pages of the runs service', () => {
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

  it('lead from signing in over older pages to a session with its steps, and show hostile texts as text', async () => {
    const runs = createRuns(db());
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
      await page.getByLabel('Name').fill('');
      await page.getByLabel('Search').fill('<script>');
      await page.getByLabel('State').selectOption('SUCCEEDED');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.waitForURL(/state=SUCCEEDED/);
      await page.getByRole('link', { name: 'onerror' }).first().click();
      await page.getByText('Finished · 4,330 tokens, $0.25').waitFor();
      expect(await page.locator('img').count()).toBe(0);
      await page.getByRole('link', { name: 'All runs' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('API key').waitFor();
    });
  });

  it("take answers to an agent's questions, and keep what someone types while the run changes", async () => {
    const asks = (message: string) => ({ elicit: { message, field: {} } });
    const environments = [acpEnvironment('', { permissions: 'ask' })];
    const service = await startRunsService({ environments, db: db() });
    const prompt = JSON.stringify([asks(`Which color? ${hostile}`), asks('Which size?')]);
    const id = await service.begin({ prompt });
    const { session_link: link } = await service.until(id, 'BLOCKED');
    const { page, problems } = await newWatchedPage(browser, { expected: /401/ });
    await page.goto(link ?? '');
    await page.getByRole('link', { name: 'Sign in to answer' }).click();
    await page.getByLabel('API key').fill(testKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Your answer').fill('a warm gr');
    const note = { state: 'BLOCKED', note: 'Something happened' };
    await createRuns(db()).change(id, ['BLOCKED'], note);
    await page.getByText('Something happened').waitFor();
    expect(await page.getByLabel('Your answer').inputValue()).toBe('a warm gr');
    await page.getByLabel('Your answer').fill('a warm green');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('Ada answered: a warm green').waitFor();
    await page.getByText('Which size?').first().waitFor();
    await service.until(id, 'BLOCKED');
    // Answer the question through the API, outside this page.
    await service.request(`/agent/runs/${id}/followups`, {
      method: 'POST',
      body: JSON.stringify({ message: 'small' }),
      headers: { 'content-type': 'application/json' },
    });
    await page.getByText('Ada answered: small').waitFor();
    await page.getByText('Succeeded').first().waitFor();
    await page.getByLabel('Your answer').waitFor({ state: 'detached' });
    expect(await page.title()).not.toBe('taken');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('fit a phone, in the dark', async () => {
    await inList({ ...phone, colorScheme: 'dark' }, async (page) => {
      expect(await fits(page)).toBe(true);
      await page.getByRole('link', { name: 'onerror' }).first().click();
      await page.getByText('Finished').first().waitFor();
      expect(await fits(page)).toBe(true);
      const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(ground).toBe('rgb(16, 19, 24)');
    });
  });
});
