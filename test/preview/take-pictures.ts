import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import {
  hasChromium,
  launchChromium,
  whySkipped,
} from '../../packages/slack-stand-in/test/browser/support/chromium.ts';

type Look = { name: string; colorScheme: 'light' | 'dark'; width: number };

const looks: Look[] = [
  { name: 'light', colorScheme: 'light', width: 1280 },
  { name: 'dark', colorScheme: 'dark', width: 1280 },
  { name: 'phone', colorScheme: 'light', width: 390 },
];

/** Takes one PNG of each message and view in each theme. Returns the number, or the reason why there are none. */
export async function takePictures(page: string, folder: string): Promise<string> {
  if (!hasChromium) return `no pictures (${whySkipped})`;
  const browser = await launchChromium();
  let taken = 0;
  try {
    for (const { name, colorScheme, width } of looks) {
      mkdirSync(`${folder}${name}`, { recursive: true });
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const opened = await context.newPage();
      await opened.goto(page);
      taken += await takeEach(opened, `${folder}${name}/`);
      await context.close();
    }
  } finally {
    await browser.close();
  }
  return `${taken} pictures in ${folder}`;
}

async function takeEach(page: Page, folder: string): Promise<number> {
  const cases = await page.locator('.preview-case').all();
  for (const each of cases) {
    const id = (await each.getAttribute('data-name')) ?? '';
    const file = id
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '');
    await each.screenshot({ path: `${folder}${file}.png` });
  }
  return cases.length;
}
