import { expect, it } from 'vitest';
import {
  general,
  runMessageShowing,
  startedProduct,
  type startProduct,
  textOf,
} from '../../support/product/product.ts';

type Product = Awaited<ReturnType<typeof startProduct>>;

async function finishRun({ workspace, grace }: Product): Promise<{ ts: string; link: string }> {
  await grace.types(general, '/agent count the TODO comments');
  await workspace.until(() => grace.modal());
  await grace.submits();
  const message = await runMessageShowing(workspace, 'Succeeded');
  return { ts: message.ts, link: linkIn(message) };
}

const linkIn = (message: unknown) =>
  /https?:[^"]*\/session\/[\w-]+/.exec(textOf(message))?.[0] ?? '';

/** Returns the messages of all channels, including direct messages. */
const messagesOf = ({ workspace }: Product) =>
  workspace.channels.flatMap(({ id }) => workspace.messagesIn(id));

async function revokes({ workspace }: Product, person: Product['ada'], ts: string) {
  await person.clicks({ channelId: general, messageTs: ts }, 'run:details');
  const view = await workspace.until(() => {
    const shown = person.modal();
    return textOf(shown?.content).includes('*Timeline*') ? shown : undefined;
  });
  await person.clicks({ view }, 'run:revoke-link');
  return workspace.until(() => {
    const answer = textOf(person.modal()?.content);
    return answer.includes('*Timeline*') ? undefined : answer;
  });
}

it('a session link is revoked from the details by those who can cancel the run, and the message gets a new one', async () => {
  const product = await startedProduct();
  const { ts, link } = await finishRun(product);
  const rejected = await revokes(product, product.workspace.as('alan'), ts);
  expect(rejected).toContain(`Only <@${product.grace.person.id}>`);
  expect((await fetch(link)).status).toBe(200);
  expect(await revokes(product, product.grace, ts)).toContain('Revoking the session link');
  await product.workspace.until(() =>
    textOf(messagesOf(product)).includes('The old session link no longer works'),
  );
  expect((await fetch(link)).status).toBe(404);
  const fresh = await product.workspace.until(() => {
    const shown = linkIn(product.workspace.messagesIn(general).find((each) => each.ts === ts));
    return shown !== link ? shown : undefined;
  });
  expect((await fetch(fresh)).status).toBe(200);
});
