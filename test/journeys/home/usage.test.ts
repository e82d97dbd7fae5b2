import { expect, it } from 'vitest';
import { openTestDatabase } from '../../support/database/databases.ts';
import { homeOf } from '../../support/product/home.ts';
import {
  detailsOf,
  general,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';
import { stubbedProduct } from '../../support/product/stubbed-product.ts';

type Product = Awaited<ReturnType<typeof startedProduct>>;

const secrets = 'C04SECRETS1';

/** Types `/agent usage …` as this person. Returns the private answer. */
async function asks({ workspace }: Pick<Product, 'workspace'>, name: string, words: string) {
  const person = workspace.as(name);
  const told = () =>
    workspace.messagesIn(general).filter(({ visibleTo }) => visibleTo === person.person.id);
  const before = told().length;
  await person.types(general, `/agent usage ${words}`);
  return textOf(await workspace.until(() => told()[before]));
}

it('what the service reports of a run is in the usage, and in its details', async () => {
  const usage = (dollars: number) => ({
    request_usage: {
      inference_cost_usd: dollars,
      total_tokens: 1_200,
      models: [{ model: 'large', cost_usd: dollars, tokens: 1_200, calls: 2 }],
    },
  });
  const product = await stubbedProduct('INPROGRESS', usage(0.4));
  const { workspace, ada, api } = product;
  await ada.types(general, '/agent run title="Count" go');
  const message = await runMessageShowing(workspace, 'In progress');
  await expect.poll(() => asks(product, 'ada', '')).toContain('cost *$0.40* in the last 7 days');
  api.answers('SUCCEEDED', usage(1.5));
  await runMessageShowing(workspace, 'Succeeded');
  const shown = await asks(product, 'ada', '30d');
  expect(shown).toContain('Your runs cost *$1.50* in the last 30 days.\\n1 run  ·  1,200 tokens');
  expect(shown).toContain('$1.50  ██████████  large');
  expect(await detailsOf(product, ada, message)).toContain('large: $1.50, 1,200 tokens, 2 calls');
});

/** Sets what the runs with these titles cost. */
async function setCosts({ config }: Product, costs: Record<string, number>): Promise<void> {
  const db = await openTestDatabase(config.databaseUrl);
  for (const [title, dollars] of Object.entries(costs))
    await db
      .updateTable('requests')
      .set({ cost_micros: dollars * 1_000_000, is_cost_incomplete: 0 })
      .where('title', '=', title)
      .execute();
  await db.destroy();
}

/** Starts a public run of Ada's, one of Grace's in their private channel, and one of Alan's with the app. */
async function startedInThreePlaces() {
  const product = await startedProduct();
  const { workspace, ada, grace } = product;
  const alan = workspace.as('alan');
  const places = [
    { person: ada, channelId: general, title: 'In the open' },
    { person: grace, channelId: secrets, title: 'Behind the door' },
    { person: alan, channelId: alan.directChannelId, title: 'Alone' },
  ];
  for (const { person, channelId, title } of places) {
    await person.types(channelId, `/agent run title="${title}" count`);
    await runMessageShowing(workspace, 'Succeeded', channelId);
  }
  await setCosts(product, { 'In the open': 1, 'Behind the door': 2, Alone: 4 });
  return product;
}

it('usage follows the conversation, and an admin gets one sum for the rest', async () => {
  const product = await startedInThreePlaces();
  const { workspace } = product;
  const ids = { grace: workspace.as('grace').person.id, alan: workspace.as('alan').person.id };
  await expect.poll(() => asks(product, 'grace', 'everyone')).toContain('cost *$3.00*');
  const forAlan = await asks(product, 'alan', 'everyone');
  expect(forAlan).toContain('cost *$5.00*');
  expect(forAlan).toContain('Includes only conversations that you can see.');
  expect(forAlan).not.toMatch(/Behind the door|Grace|from conversations/);
  const forAdmin = await asks(product, 'ada', 'everyone');
  expect(forAdmin).toContain('cost *$7.00*');
  expect(forAdmin).toContain("*$4.00* of it is from conversations that you can't see.");
  expect(forAdmin).toMatch(/<http[^|]+\|Behind the door>/);
  expect(forAdmin).not.toMatch(/Alone|Alan/);

  expect(await asks(product, 'alan', '')).toContain('Your runs cost *$4.00*');
  expect(await asks(product, 'alan', `<@${ids.grace}|grace>`)).toContain('There are no runs by');
  expect(await asks(product, 'ada', `@${ids.grace} 30d`)).toContain(`<@${ids.grace}>'s runs cost`);
  expect(await asks(product, 'alan', `#${secrets}`)).toContain('There are no runs in');
  expect(await asks(product, 'grace', `#${secrets}`)).toContain('cost *$2.00*');
  expect(await asks(product, 'ada', '#nowhere')).toContain("isn't a channel in Slack");
  expect(await asks(product, 'ada', '@nobody')).toContain("isn't a person in Slack");
  expect(await asks(product, 'ada', '90d')).toContain('accepts `me`, `@someone`, `#channel`');
});

it('Home opens usage with what everyone spent for an admin, and shows the choices of a person', async () => {
  const product = await startedInThreePlaces();
  const { workspace, ada, grace } = product;
  const opens = async (name: string) => {
    const home = await homeOf(product, name);
    await home.clicks('home:more', 'usage');
    const person = workspace.as(name);
    return workspace.until(() => (shownTo(name).includes('cost *') ? person.modal() : undefined));
  };
  const shownTo = (name: string) => textOf(workspace.as(name).modal()?.content);
  const view = await opens('ada');
  expect(textOf(view?.content)).toContain("Everyone's runs cost *$7.00* in the last 7 days.");
  const chooses = async (id: string, value: unknown, words: string) => {
    const modal = await workspace.until(() => ada.modal());
    await ada.clicks({ view: modal }, id, value);
    await workspace.until(() => shownTo('ada').includes(words));
  };
  await chooses('usage:of', 'person', 'Choose a person above.');
  await chooses('usage:person', grace.person.id, "'s runs cost *$2.00* in the last 7 days.");
  await chooses('usage:days', '30', "'s runs cost *$2.00* in the last 30 days.");
  await chooses('usage:of', 'channel', 'Choose a channel above.');
  await chooses('usage:channel', general, 'cost *$1.00* in the last 30 days.');
  await ada.closesModal();

  expect(textOf((await opens('grace'))?.content)).toContain('Your runs cost *$2.00*');
});
