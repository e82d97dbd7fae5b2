import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hasSharedData, readSharedJson, sharedPath, whySkipped } from '../support/shared-data.ts';
import { engineering, engineeringId } from './support/engineering.ts';
import { usePage } from './support/use-page.ts';

type Json = Record<string, unknown>;
const folder = 'slack/block-kit/fixtures/valid';
const readAll = (kind: string) =>
  readdirSync(sharedPath(`${folder}/${kind}`)).map(
    (file) => readSharedJson(`${folder}/${kind}/${file}`) as Json,
  );

/** Blocks that the page names but doesn't draw. */
const notDrawn = /^(card|carousel|container|data_|file|video)/;
const why = hasSharedData ? '' : ` (${whySkipped})`;

describe.skipIf(!hasSharedData)(`Block Kit on the page${why}`, () => {
  const openPage = usePage();

  it('draws or names every valid block and element of the samples', async () => {
    const { page, workspace } = await openPage({ at: engineering });
    const blocks = readAll('blocks');
    const elements = readAll('elements')
      .filter(({ type }) => !['image', 'file_input', 'url'].includes(String(type)))
      .map((element) => ({ type: 'actions', elements: [element] }));
    const richParts = readAll('rich_text');
    const lists = richParts.filter(({ type }) => String(type).startsWith('rich_text_'));
    const spans = richParts.filter(({ type }) => !String(type).startsWith('rich_text'));
    const rich = {
      type: 'rich_text',
      elements: [...lists, { type: 'rich_text_section', elements: spans }],
    };
    const all = [...blocks, ...elements, rich].map((block, index) => ({
      ...block,
      block_id: `b${index}`,
    }));

    const { message } = await workspace.as('grace').types(engineeringId, 'All of them');
    if (!message) throw new Error('nothing was posted');
    message.blocks = all;
    await workspace.as('grace').reacts(engineeringId, message.ts, 'eyes');
    await page.getByRole('button', { name: /eyes/ }).waitFor();

    expect(await page.getByText(/can't be shown/).allTextContents()).toEqual([]);
    const named = await page.getByText(/This page can't draw/).allTextContents();
    const expected = blocks.filter(({ type }) => notDrawn.test(String(type))).length;
    // Exclude workflow buttons, which aren't drawn because the stand-in has no workflows.
    expect(named.filter((text) => !text.includes('workflow_button'))).toHaveLength(expected);
    expect(blocks.length + elements.length).toBeGreaterThan(50);
  });
});
