import { expect, it } from 'vitest';
import { homeOf } from '../../support/product/home.ts';
import { general, runMessageShowing } from '../../support/product/product.ts';
import { stubbedProduct } from '../../support/product/stubbed-product.ts';

const pullRequest = (state: string) => ({
  artifacts: [
    {
      artifact_type: 'PULL_REQUEST',
      data: { url: 'https://github.com/acme/shop/pull/12', number: 12, state },
    },
  ],
});

it('Home lists the runs that need review, until their pull requests are merged', async () => {
  const { api, ...product } = await stubbedProduct('SUCCEEDED', pullRequest('open'));
  const { workspace, grace } = product;
  await grace.types(general, '/agent run fix the login');
  await runMessageShowing(workspace, '  ·  open');
  const home = await homeOf(product, 'ada');
  await home.clicks('home:creator', 'everyone');
  await home.until('fix the login');
  await home.clicks('home:state', 'review');
  await home.until('*PR #12 open*');
  api.answers('SUCCEEDED', pullRequest('merged'));
  await runMessageShowing(workspace, '  ·  merged');
  await home.clicks('home:more', 'refresh');
  await home.until('No runs match these filters.');
  await home.clicks('home:state', 'any');
  await home.until('*PR #12 merged*');
  expect(home.text()).toContain('fix the login');
});
