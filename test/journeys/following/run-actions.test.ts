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

/** Starts a run that runs until it's canceled, as Grace, who isn't an admin. */
async function startWaitingRun({ workspace, grace }: Product): Promise<Message> {
  await grace.types(general, '/agent wait for me');
  await workspace.until(() => grace.modal());
  await grace.submits();
  return runMessageShowing(workspace, 'In progress');
}

/** Private answers to this person. */
const toldTo = ({ messagesIn }: Product['workspace'], person: string) =>
  messagesIn(general)
    .filter(({ visibleTo }) => visibleTo === person)
    .map(textOf);

const toldOnly = ({ workspace }: Product, person: string, words: string) =>
  workspace.until(() => toldTo(workspace, person).find((told) => told.includes(words)));

describe('cancelling a run', () => {
  it('ends it, on the same message, which offers it no more', async () => {
    const product = await startedProduct();
    const message = await startWaitingRun(product);
    await product.grace.clicks(at(message), 'run:cancel');
    const ended = await runMessageShowing(product.workspace, 'Canceled');
    expect(ended.ts).toBe(message.ts);
    expect(textOf(ended)).not.toContain('run:cancel');
  });

  it('is open to admins, and refused to others with whom to ask', async () => {
    const product = await startedProduct();
    const message = await startWaitingRun(product);
    const alan = product.workspace.as('alan');
    await alan.clicks(at(message), 'run:cancel');
    await toldOnly(product, alan.person.id, `Only <@${product.grace.person.id}>`);
    expect(textOf(message)).not.toContain('Canceling:');
    await product.ada.clicks(at(message), 'run:cancel');
    await runMessageShowing(product.workspace, 'Canceled');
  });

  it('happens once when two people click at once', async () => {
    const product = await startedProduct();
    const message = await startWaitingRun(product);
    await Promise.all([
      product.grace.clicks(at(message), 'run:cancel'),
      product.ada.clicks(at(message), 'run:cancel'),
    ]);
    await runMessageShowing(product.workspace, 'Canceled');
    await product.workspace.settled();
    const told = [product.grace, product.ada].flatMap(({ person }) =>
      toldTo(product.workspace, person.id),
    );
    expect(told).toEqual([expect.stringMatching(/Someone already canceled|has already ended/)]);
  });

  it('asks the service once, however many click at once', async () => {
    const { api, ...product } = await stubbedProduct('INPROGRESS');
    const { workspace, grace, ada } = product;
    const message = await startWaitingRun(product);
    const clicking = [grace, ada, grace, ada];
    await Promise.all(clicking.map((person) => person.clicks(at(message), 'run:cancel')));
    await runMessageShowing(workspace, 'Canceling:');
    await expect.poll(() => api.canceled).not.toEqual([]);
    await workspace.settled();
    expect(api.canceled).toHaveLength(1);
    // One of them is told about the other; a double click of one's own says nothing.
    const told = [grace, ada].map(({ person }) => toldTo(workspace, person.id));
    expect(told).toContainEqual([]);
  });

  it('works on an old message after a restart', async () => {
    const product = await startProduct();
    const bot = await product.startBot();
    const message = await startWaitingRun(product);
    await bot.stop();
    await product.startBot();
    await product.grace.clicks(at(message), 'run:cancel');
    await runMessageShowing(product.workspace, 'Canceled');
  });

  it.each([
    [422, "can't cancel this kind of run"],
    [404, "doesn't support canceling"],
    [405, "doesn't support canceling"],
    [400, 'says it already ended'],
  ])(
    'that the service refuses with %i is shown with the reason, and Cancel is offered again',
    async (status, words) => {
      const { api, ...product } = await stubbedProduct('INPROGRESS');
      api.answersCancel(status);
      const message = await startWaitingRun(product);
      await product.grace.clicks(at(message), 'run:cancel');
      const refused = textOf(await runMessageShowing(product.workspace, "Couldn't cancel"));
      expect(refused).toContain(words);
      expect(refused).toContain('run:cancel');
      api.answers('SUCCEEDED');
      const ended = await runMessageShowing(product.workspace, 'Succeeded');
      expect(textOf(ended)).not.toContain("Couldn't cancel");
    },
  );

  it('is carried out when the service is back, and the message says so meanwhile', async () => {
    const { api, ...product } = await stubbedProduct('INPROGRESS');
    const { workspace, grace } = product;
    const message = await startWaitingRun(product);
    await api.stop();
    await grace.clicks(at(message), 'run:cancel');
    const waiting = await runMessageShowing(workspace, 'Canceling:');
    expect(textOf(waiting)).not.toContain('run:cancel');
    await api.start();
    await expect.poll(() => api.canceled.length).toBe(1);
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
    expect(textOf(ended)).toContain('No run was created.');
    await api.start();
    await workspace.settled();
    expect(api.created).toEqual([]);
  });

  it('answered with "conflict" is asked again', async () => {
    const { api, ...product } = await stubbedProduct('INPROGRESS');
    api.answersCancel(409, 200);
    const message = await startWaitingRun(product);
    await product.grace.clicks(at(message), 'run:cancel');
    await runMessageShowing(product.workspace, 'Canceling:');
    await expect.poll(() => api.canceled.length).toBe(2);
  });
});

describe('following', () => {
  it('stops for the creator, and resumes when anyone presses Follow again', async () => {
    const { api, ...product } = await stubbedProduct('INPROGRESS');
    const message = await startWaitingRun(product);
    await picks(product, product.grace, at(message), 'Stop following');
    const silent = await runMessageShowing(product.workspace, "hasn't been updated since");
    api.answers('SUCCEEDED');
    await product.workspace.as('alan').clicks(at(silent), 'run-message:follow-again');
    const ended = await runMessageShowing(product.workspace, 'Succeeded');
    expect(textOf(ended)).not.toContain("hasn't been updated");
  });

  it('stops and resumes once when two people click at the same time', async () => {
    const { api, ...product } = await stubbedProduct('INPROGRESS');
    const { workspace, grace, ada } = product;
    const alan = workspace.as('alan');
    const message = await startWaitingRun(product);
    const stop = 'Stop following';
    await Promise.all([grace, ada].map((each) => picks(product, each, at(message), stop)));
    const silent = await runMessageShowing(workspace, "hasn't been updated since");
    const again = 'run-message:follow-again';
    await Promise.all([grace.clicks(at(silent), again), alan.clicks(at(silent), again)]);
    const followed = await workspace.until(() => {
      const shown = runMessageIn(workspace);
      return textOf(shown).includes(stop) ? shown : undefined;
    });
    expect(textOf(followed)).not.toContain("hasn't been updated");
    api.answers('SUCCEEDED');
    await runMessageShowing(workspace, 'Succeeded');
    const told = [grace, ada, alan].flatMap(({ person }) => toldTo(workspace, person.id));
    expect(told).toEqual([]);
  });

  it('stops for the creator and admins only, and tells others who to ask', async () => {
    const product = await startedProduct();
    const message = await startWaitingRun(product);
    const alan = product.workspace.as('alan');
    await picks(product, alan, at(message), 'Stop following');
    await toldOnly(product, alan.person.id, `Only <@${product.grace.person.id}>`);
    await product.workspace.settled();
    expect(textOf(runMessageIn(product.workspace))).not.toContain("hasn't been updated");
  });
});

describe('details', () => {
  it('show everything on one page, without keys', async () => {
    const product = await startedProduct();
    const { workspace, grace } = product;
    await grace.types(general, '/agent wait for me');
    await workspace.until(() => grace.modal());
    await showMore({ ada: grace, workspace });
    const servers = '{"docs": {"url": "https://mcp.example", "headers": {"X-Key": "hush-hush"}}}';
    await grace.submits({ name: 'nightly', mcp_servers: servers });
    const message = await runMessageShowing(workspace, 'In progress');
    const alan = workspace.as('alan');
    await alan.clicks(at(message), 'run:details');
    const overview = await workspace.until(() => alan.modal());
    expect(textOf(overview.content)).toMatch(/Timeline.*IDs.*Prompt.*wait for me/);
    expect(textOf(overview.content)).toContain('MCP servers: docs');
    expect(JSON.stringify(overview.content)).not.toContain('hush-hush');
  });

  it('offer Cancel, and confirm it', async () => {
    const product = await startedProduct();
    const { workspace, grace } = product;
    const message = await startWaitingRun(product);
    await grace.clicks(at(message), 'run:details');
    const view = await workspace.until(() => grace.modal());
    await grace.clicks({ view }, 'run:cancel');
    await workspace.until(() => textOf(grace.modal()?.content).includes('Canceling this run'));
    await runMessageShowing(workspace, 'Canceled');
  });
});

describe('a menu whose request is gone', () => {
  it('says so', async () => {
    const product = await startProduct();
    const bot = await product.startBot();
    const message = await startWaitingRun(product);
    await bot.stop();
    await product.startBot({ databaseUrl: 'sqlite::memory:' });
    await picks(product, product.grace, at(message), 'Notify me');
    await toldOnly(product, product.grace.person.id, "doesn't have this run anymore");
  });
});
