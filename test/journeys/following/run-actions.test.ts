import type { Message } from 'slack-stand-in';
import { describe, expect, it } from 'vitest';
import { startApiStub } from '../../support/network/api-stub.ts';
import {
  general,
  picks,
  runMessageIn,
  runMessageShowing,
  showMore,
  startedProduct,
  startProduct,
  textOf,
} from '../../support/product/product.ts';
import { stubbedProduct } from '../../support/product/stubbed-product.ts';

type Product = Awaited<ReturnType<typeof startProduct>>;

const at = (message: Message) => ({ channelId: general, messageTs: message.ts });

/** Starts a run that continues until it's canceled, as Grace, who isn't an admin. */
async function startWaitingRun({ workspace, grace }: Product): Promise<Message> {
  await grace.types(general, '/agent wait for me');
  await workspace.until(() => grace.modal());
  await grace.submits();
  return runMessageShowing(workspace, 'In progress');
}

/** Returns the private answers to this person. */
const toldTo = ({ messagesIn }: Product['workspace'], person: string) =>
  messagesIn(general)
    .filter(({ visibleTo }) => visibleTo === person)
    .map(textOf);

const toldOnly = ({ workspace }: Product, person: string, words: string) =>
  workspace.until(() => toldTo(workspace, person).find((told) => told.includes(words)));

describe('canceling a run', () => {
  it('ends it once, on the same message, for its creator and admins, and tells others whom to ask', async () => {
    const product = await startedProduct();
    const { workspace, grace, ada } = product;
    const message = await startWaitingRun(product);
    const alan = workspace.as('alan');
    await alan.clicks(at(message), 'run:cancel');
    await toldOnly(product, alan.person.id, `Only <@${grace.person.id}>`);
    expect(textOf(runMessageIn(workspace))).not.toContain('Canceling…');
    await Promise.all([grace, ada].map((person) => person.clicks(at(message), 'run:cancel')));
    const ended = await runMessageShowing(workspace, 'Canceled');
    expect(ended.ts).toBe(message.ts);
    expect(textOf(ended)).not.toContain('run:cancel');
    await workspace.settled();
    const told = [grace, ada].flatMap(({ person }) => toldTo(workspace, person.id));
    expect(told).toEqual([expect.stringMatching(/Someone already canceled|has already ended/)]);
  });

  it('asks the service once when it is back, however many click meanwhile', async () => {
    const { api, ...product } = await stubbedProduct('INPROGRESS');
    const { workspace, grace, ada } = product;
    const message = await startWaitingRun(product);
    await api.stop();
    const clicking = [grace, ada, grace, ada];
    await Promise.all(clicking.map((person) => person.clicks(at(message), 'run:cancel')));
    const waiting = await runMessageShowing(workspace, 'Canceling…');
    expect(textOf(waiting)).not.toContain('run:cancel');
    await workspace.settled();
    // Only one person is told that the other one canceled. A second click by the same person has no answer.
    const told = [grace, ada].map(({ person }) => toldTo(workspace, person.id));
    expect(told).toContainEqual([]);
    await api.start();
    await expect.poll(() => api.canceled).not.toEqual([]);
    api.answers('CANCELLED');
    await runMessageShowing(workspace, 'Canceled');
    expect(api.canceled).toHaveLength(1);
  });

  it('that the service rejects is shown with the reason, and Cancel is offered again', async () => {
    const { api, ...product } = await stubbedProduct('INPROGRESS');
    api.answersCancel(422);
    const message = await startWaitingRun(product);
    await product.grace.clicks(at(message), 'run:cancel');
    const rejected = textOf(await runMessageShowing(product.workspace, "Couldn't cancel"));
    expect(rejected).toContain("can't cancel this kind of run");
    expect(rejected).toContain('run:cancel');
    api.answers('SUCCEEDED');
    const ended = await runMessageShowing(product.workspace, 'Succeeded');
    expect(textOf(ended)).not.toContain("Couldn't cancel");
  });

  it('asked for before there is a run starts nothing', async () => {
    const product = await startProduct();
    const api = await startApiStub();
    await api.stop();
    await product.startBot({ runsApi: { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub' } });
    const { workspace, grace } = product;
    await grace.types(general, '/agent run wait for me');
    const message = await runMessageShowing(workspace, 'Starting');
    await grace.clicks(at(message), 'run:cancel');
    const ended = await runMessageShowing(workspace, 'before it started');
    expect(textOf(ended)).not.toContain('No run was created.');
    await api.start();
    await workspace.settled();
    expect(api.created).toEqual([]);
  });
});

it('following stops for the creator and admins, and resumes for anyone, once when two click at the same time', async () => {
  const { api, ...product } = await stubbedProduct('INPROGRESS');
  const { workspace, grace, ada } = product;
  const alan = workspace.as('alan');
  const message = await startWaitingRun(product);
  const stop = 'Stop updates';
  await picks(product, alan, at(message), stop);
  await toldOnly(product, alan.person.id, `Only <@${grace.person.id}>`);
  await workspace.settled();
  expect(textOf(runMessageIn(workspace))).not.toContain('Updates stopped');
  await Promise.all([grace, ada].map((each) => picks(product, each, at(message), stop)));
  const silent = await runMessageShowing(workspace, 'Updates stopped');
  const again = 'run-message:follow-again';
  await Promise.all([grace.clicks(at(silent), again), alan.clicks(at(silent), again)]);
  const followed = await runMessageShowing(workspace, stop);
  expect(textOf(followed)).not.toContain('Updates stopped');
  api.answers('SUCCEEDED');
  await runMessageShowing(workspace, 'Succeeded');
  const told = [grace, ada, alan].flatMap(({ person }) => toldTo(workspace, person.id));
  expect(told).toHaveLength(1);
});

it('details show everything on one page, without keys, and offer Cancel, which they confirm', async () => {
  const product = await startedProduct();
  const { workspace, grace } = product;
  await grace.types(general, '/agent wait for me');
  await workspace.until(() => grace.modal());
  await showMore({ ada: grace, workspace });
  const servers = '{"docs": {"url": "https://mcp.example", "headers": {"X-Key": "hush-hush"}}}';
  await grace.submits({ name: 'nightly', mcp_servers: servers });
  const message = await runMessageShowing(workspace, 'In progress');
  const opens = async (person: typeof grace) => {
    await person.clicks(at(message), 'run:details');
    return workspace.until(() => {
      const view = person.modal();
      return textOf(view?.content).includes('*Timeline*') ? view : undefined;
    });
  };
  const overview = textOf((await opens(workspace.as('alan')))?.content);
  expect(overview).toMatch(/Timeline.*IDs.*Prompt.*wait for me/);
  expect(overview).toContain('MCP servers: docs');
  expect(overview).not.toContain('hush-hush');
  const view = await opens(grace);
  await grace.clicks({ view }, 'run:cancel');
  await workspace.until(() => textOf(grace.modal()?.content).includes('Canceling this run'));
  await runMessageShowing(workspace, 'Canceled');
});

it('a menu whose request is gone says so', async () => {
  const product = await startProduct();
  const bot = await product.startBot();
  const message = await startWaitingRun(product);
  await bot.stop();
  await product.startBot({ databaseUrl: 'sqlite::memory:' });
  await picks(product, product.grace, at(message), 'Notify me');
  await toldOnly(product, product.grace.person.id, "doesn't have this run anymore");
});
