/** A webhook, from the delivery to the run message: once, signed, and with a payload that stays text. */
import { expect, it } from 'vitest';
import {
  decided,
  startAutomatedProduct,
  storeAutomation,
} from '../../support/product/automations.ts';
import {
  general,
  promptsSent,
  runMessageShowing,
  runMessagesIn,
  textOf,
} from '../../support/product/product.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const hostile =
  '<!channel> <@U04GRACEHOP> https://evil.example *bold* `code` ghp_abcdefghijklmnopqrstuvwxyz0123456789 {{ payload.a }}';

async function startHooked() {
  const product = await startAutomatedProduct();
  const id = await storeAutomation(product, {
    name: 'Deploy finished',
    channelId: general,
    trigger: {
      kind: 'webhook',
      sender: 'bearer',
      filter: [[{ field: 'status', is: 'equals', text: 'success' }]],
    },
    prompt: 'check {{ payload.version }}',
    title: 'Version {{ payload.version }}',
    secret,
  });
  const delivers = (body: unknown, key: string, token = secret) =>
    fetch(`${product.hooksUrl}/${id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'idempotency-key': key },
      body: JSON.stringify(body),
    });
  return { ...product, delivers };
}

it('a delivery starts one run, however often it comes, and nothing without the secret or the filter', async () => {
  const product = await startHooked();
  const { delivers, workspace } = product;
  expect((await delivers({ status: 'success' }, 'forged', 'x'.repeat(40))).status).toBe(401);
  const delivery = { status: 'success', version: '1.2.3' };
  const answers = await Promise.all([1, 2, 3].map(() => delivers(delivery, 'one')));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect((await delivers({ status: 'failure' }, 'two')).status).toBe(202);
  const ended = await runMessageShowing(workspace, 'Succeeded');
  expect(textOf(ended)).toContain('Version 1.2.3');
  expect(textOf(ended)).toMatch(/by automation \*Deploy finished\*, for <@U04ADALOVEL>/);
  expect((await decided(product, 2)).toSorted()).toEqual(['started', 'unmatched']);
  expect((await delivers(delivery, 'one')).status).toBe(202);
  expect(await decided(product, 2)).toHaveLength(2);
  expect(await promptsSent(product)).toHaveLength(1);
  expect(runMessagesIn(workspace)).toHaveLength(1);
});

it('a payload with mentions, links, markup and secrets stays text in Slack, and has no secret', async () => {
  const product = await startHooked();
  const { delivers, workspace } = product;
  await delivers({ status: 'success', version: hostile, a: 'again' }, 'hostile');
  const ended = await runMessageShowing(workspace, 'Succeeded');
  // Slack shows plain text as it is, such as a header.
  const all = textOf(workspace.messagesIn(general));
  const shown = all.replaceAll(/"type":"plain_text","text":"[^"]*"/g, '');
  expect(shown).not.toMatch(/<!channel|<@U04GRACEHOP>|<https:\/\/evil|ghp_abcdef/);
  expect(textOf(ended)).toContain('{{ payload.a }}');
  const [prompt] = await promptsSent(product);
  expect(prompt).toContain('{{ payload.a }}');
  expect(prompt).not.toContain('ghp_abcdef');
  const links = workspace.traffic
    .recent()
    .filter(({ name }) => name === 'events_api')
    .map(({ request }) => Object(request).event.type);
  expect(links).not.toContain('link_shared');
});
