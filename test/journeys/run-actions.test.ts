import type { Message } from 'slack-stand-in/world';
import { describe, expect, it } from 'vitest';
import { startApiStub } from '../support/api-stub.ts';
import {
  general,
  runMessageIn,
  runMessageShowing,
  showMore,
  startProduct,
  textOf,
} from '../support/product.ts';

type Product = Awaited<ReturnType<typeof startProduct>>;

const at = (message: Message) => ({ channelId: general, messageTs: message.ts });

/** Starts a run that goes on until it is ended, as Grace, who is no admin. */
async function startWaitingRun({ workspace, grace }: Product): Promise<Message> {
  await grace.types(general, '/agent wait for me');
  await workspace.until(() => grace.modal());
  await grace.submits();
  return runMessageShowing(workspace, 'In progress');
}

/** What only this person sees. */
const toldTo = ({ messagesIn }: Product['workspace'], person: string) =>
  messagesIn(general)
    .filter(({ visibleTo }) => visibleTo === person)
    .map(textOf);

const toldOnly = ({ workspace }: Product, person: string, words: string) =>
  workspace.until(() => toldTo(workspace, person).find((told) => told.includes(words)));

describe('cancelling a run', () => {
  it('ends it, on the same message, which offers it no more', async () => {
    const product = await startProduct();
    await product.startBot();
    const message = await startWaitingRun(product);
    await product.grace.clicks(at(message), 'run:cancel');
    const ended = await runMessageShowing(product.workspace, 'Cancelled');
    expect(ended.ts).toBe(message.ts);
    expect(textOf(ended)).not.toContain('run:cancel');
  });

  it('is open to admins, and refused to others with whom to ask', async () => {
    const product = await startProduct();
    await product.startBot();
    const message = await startWaitingRun(product);
    const alan = product.workspace.as('alan');
    await alan.clicks(at(message), 'run:cancel');
    await toldOnly(product, alan.person.id, `Only <@${product.grace.person.id}>`);
    expect(textOf(message)).not.toContain('Canceling:');
    await product.ada.clicks(at(message), 'run:cancel');
    await runMessageShowing(product.workspace, 'Cancelled');
  });

  it('happens once when two people click at once', async () => {
    const product = await startProduct();
    await product.startBot();
    const message = await startWaitingRun(product);
    await Promise.all([
      product.grace.clicks(at(message), 'run:cancel'),
      product.ada.clicks(at(message), 'run:cancel'),
    ]);
    await runMessageShowing(product.workspace, 'Cancelled');
    await product.workspace.settled();
    const told = [product.grace, product.ada].flatMap(({ person }) =>
      toldTo(product.workspace, person.id),
    );
    expect(told).toEqual([expect.stringMatching(/Someone already canceled|has already ended/)]);
  });

  it('asks the service once, however many click at once', async () => {
    const product = await startProduct();
    const api = await startApiStub();
    api.answers('INPROGRESS');
    await product.startBot({ runsApi: { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub' } });
    const { workspace, grace, ada } = product;
    const message = await startWaitingRun(product);
    const clicking = [grace, ada, grace, ada];
    await Promise.all(clicking.map((person) => person.clicks(at(message), 'run:cancel')));
    await runMessageShowing(workspace, 'Canceling:');
    await workspace.settled();
    expect(api.cancelled).toHaveLength(1);
  });

  it('works on an old message after a restart', async () => {
    const product = await startProduct();
    const bot = await product.startBot();
    const message = await startWaitingRun(product);
    await bot.stop();
    await product.startBot();
    await product.grace.clicks(at(message), 'run:cancel');
    await runMessageShowing(product.workspace, 'Cancelled');
  });

  it.each([
    [422, "can't cancel this kind of run"],
    [404, "doesn't support canceling"],
    [405, "doesn't support canceling"],
    [400, 'says it already ended'],
  ])(
    'that the service refuses with %i is shown with the reason, and Cancel is offered again',
    async (status, words) => {
      const product = await startProduct();
      const api = await startApiStub();
      api.answers('INPROGRESS');
      api.answersCancel(status);
      await product.startBot({ runsApi: { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub' } });
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
    const product = await startProduct();
    const api = await startApiStub();
    api.answers('INPROGRESS');
    await product.startBot({ runsApi: { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub' } });
    const { workspace, grace } = product;
    const message = await startWaitingRun(product);
    await api.stop();
    await grace.clicks(at(message), 'run:cancel');
    const waiting = await runMessageShowing(workspace, 'Canceling:');
    expect(textOf(waiting)).not.toContain('run:cancel');
    await api.start();
    await expect.poll(() => api.cancelled.length, { timeout: 20_000 }).toBe(1);
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
    const product = await startProduct();
    const api = await startApiStub();
    api.answers('INPROGRESS');
    api.answersCancel(409, 200);
    await product.startBot({ runsApi: { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub' } });
    const message = await startWaitingRun(product);
    await product.grace.clicks(at(message), 'run:cancel');
    await runMessageShowing(product.workspace, 'Canceling:');
    await expect.poll(() => api.cancelled.length, { timeout: 10_000 }).toBe(2);
  });
});

describe('following', () => {
  it('stops when the creator says so, and goes on when somebody wants it again', async () => {
    const product = await startProduct();
    const api = await startApiStub();
    api.answers('INPROGRESS');
    await product.startBot({ runsApi: { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub' } });
    const message = await startWaitingRun(product);
    await product.grace.clicks(at(message), 'run-message:stop-following');
    const silent = await runMessageShowing(product.workspace, 'Not followed since');
    api.answers('SUCCEEDED');
    await product.workspace.as('alan').clicks(at(silent), 'run-message:follow-again');
    const ended = await runMessageShowing(product.workspace, 'Succeeded');
    expect(textOf(ended)).not.toContain('Not followed');
  });

  it('is stopped and taken up again once when two people click at once', async () => {
    const product = await startProduct();
    const api = await startApiStub();
    api.answers('INPROGRESS');
    await product.startBot({ runsApi: { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub' } });
    const { workspace, grace, ada } = product;
    const alan = workspace.as('alan');
    const message = await startWaitingRun(product);
    const stop = 'run-message:stop-following';
    await Promise.all([grace.clicks(at(message), stop), ada.clicks(at(message), stop)]);
    const silent = await runMessageShowing(workspace, 'Not followed since');
    const again = 'run-message:follow-again';
    await Promise.all([grace.clicks(at(silent), again), alan.clicks(at(silent), again)]);
    const followed = await workspace.until(() => {
      const shown = runMessageIn(workspace);
      return textOf(shown).includes(stop) ? shown : undefined;
    });
    expect(textOf(followed)).not.toContain('Not followed');
    api.answers('SUCCEEDED');
    await runMessageShowing(workspace, 'Succeeded');
    const told = [grace, ada, alan].flatMap(({ person }) => toldTo(workspace, person.id));
    expect(told).toEqual([]);
  });

  it('is stopped by the creator and admins only: others are told whom to ask', async () => {
    const product = await startProduct();
    await product.startBot();
    const message = await startWaitingRun(product);
    const alan = product.workspace.as('alan');
    await alan.clicks(at(message), 'run-message:stop-following');
    await toldOnly(product, alan.person.id, `Only <@${product.grace.person.id}>`);
    await product.workspace.settled();
    expect(textOf(runMessageIn(product.workspace))).not.toContain('Not followed');
  });
});

describe('details', () => {
  it('show everything on three pages, and no keys', async () => {
    const product = await startProduct();
    await product.startBot();
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
    expect(textOf(overview.content)).toMatch(/Timeline.*Ids, to copy/);
    expect(textOf(overview.content)).toContain('MCP servers: docs');
    await alan.clicks({ view: overview }, 'run-details:page:prompt');
    await workspace.until(() => textOf(alan.modal()?.content).includes('• Prompt'));
    await alan.clicks({ view: alan.modal() ?? overview }, 'run-details:page:raw');
    const raw = await workspace.until(() => {
      const text = textOf(alan.modal()?.content);
      return text.includes('run_id') ? text : undefined;
    });
    expect(raw).toContain('X-Key');
    expect(raw).not.toContain('hush-hush');
  });

  it('offer Cancel too, and say what came of it', async () => {
    const product = await startProduct();
    await product.startBot();
    const { workspace, grace } = product;
    const message = await startWaitingRun(product);
    await grace.clicks(at(message), 'run:details');
    const view = await workspace.until(() => grace.modal());
    await grace.clicks({ view }, 'run:cancel');
    await workspace.until(() => textOf(grace.modal()?.content).includes('Canceling this run'));
    await runMessageShowing(workspace, 'Cancelled');
  });
});

describe('a button whose request is no longer known', () => {
  it('says so instead of doing nothing', async () => {
    const product = await startProduct();
    const bot = await product.startBot();
    const message = await startWaitingRun(product);
    await bot.stop();
    await product.startBot({ databaseUrl: 'sqlite::memory:' });
    await product.grace.clicks(at(message), 'run-message:notify');
    await toldOnly(product, product.grace.person.id, 'do not know this run any more');
  });
});
