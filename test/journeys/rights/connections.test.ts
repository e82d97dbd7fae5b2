import { describe, expect, it } from 'vitest';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import {
  addsConnection,
  modalShowing,
  opensConnections,
  pressesFor,
} from '../../support/product/connecting.ts';
import { homeOf } from '../../support/product/home.ts';
import { createKeyedService } from '../../support/product/keyed-service.ts';
import { addsRule } from '../../support/product/policy.ts';
import {
  general,
  opensModal,
  runMessageIn,
  runMessageShowing,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

/** Starts a bot on the operator's runs service, and a second service that admins can add. */
async function startedProduct() {
  const product = await startProduct({ connectionHosts: ['127.0.0.1'] });
  const second = await createKeyedService('second');
  const { logger, lines } = createLineLogger();
  await product.startBot({}, logger);
  return { ...product, second, lines };
}

type Product = Awaited<ReturnType<typeof startedProduct>>;

async function addSecond(product: Product, use: string[] = ['all']) {
  await opensConnections(product, product.ada, general);
  const { url, adminKey: key } = product.second;
  const submitted = await addsConnection(product, product.ada, { name: 'second', url, key, use });
  await modalShowing(product, product.ada, 'is added');
  await product.ada.closesModal({ all: true });
  return submitted;
}

async function connectOwnKey(product: Product, person: Product['ada'], key: string) {
  await opensConnections(product, person, general);
  await pressesFor(person, 'second', 'connections:own');
  await modalShowing(product, person, 'Connect your key');
  return person.submits({ key });
}

describe('a second connection', () => {
  it('gets the runs of the workspace, while those of the first continue there', async () => {
    const product = await startedProduct();
    const { workspace, ada, second } = product;
    await ada.types(general, '/agent run wait');
    await runMessageShowing(workspace, 'In progress');
    expect(await addSecond(product)).toEqual({});
    const before = runMessageIn(workspace);
    await ada.types(general, '/agent run count');
    await runMessageShowing(workspace, 'second did: count');
    expect((await second.runs()).map(({ prompt }) => prompt)).toEqual(['count']);
    await ada.clicks({ channelId: general, messageTs: before?.ts ?? '' }, 'run:cancel');
    await workspace.until(() =>
      textOf(workspace.messagesIn(general).find(({ ts }) => ts === before?.ts)).includes(
        'Canceled',
      ),
    );
    // A command can name the connection explicitly.
    await ada.types(general, '/agent run connection=default here');
    await runMessageShowing(workspace, 'done: here');
    expect(await second.runs()).toHaveLength(1);
    const unknown = await ada.types(general, '/agent run connection=nowhere count');
    expect(textOf([unknown, ada.sees(general).at(-1)])).toContain('no connection called');

    // Home shows the runs of both connections, and runs started elsewhere on the default one.
    await second.begin('begun elsewhere');
    const { clicks, text, until } = await homeOf(product, 'ada');
    await clicks('home:creator', 'everyone');
    await until('begun elsewhere');
    expect(text()).toContain('here');
    expect(text()).toContain('count');
  });

  it('is rejected with the reason if its key or address is wrong, and keeps neither', async () => {
    const product = await startedProduct();
    const { ada, second, config, lines } = product;
    await opensConnections(product, ada, general);
    const add = (name: string, url: string, key: string) =>
      addsConnection(product, ada, { name, url, key });
    const errorsOf = async (...asked: Parameters<typeof add>) => {
      const submitted = await add(...asked);
      await ada.closesModal();
      return textOf(submitted);
    };
    const wrongKey = 'wrong-key-0123456789';
    expect(await errorsOf('second', second.url, wrongKey)).toContain('rejected this key');
    expect(await errorsOf('second', 'https://10.1.2.3/api/v1', wrongKey)).toContain(
      'private network',
    );
    const metadata = 'http://169.254.169.254/api/v1';
    expect(await errorsOf('second', metadata, wrongKey)).toContain('https');
    expect(await errorsOf('Not a name!', second.url, wrongKey)).toContain('lowercase');
    expect(await errorsOf('Default', second.url, wrongKey)).toContain("of the app's operator");
    const db = await openTestDatabase(config.databaseUrl);
    const rows = await db.selectFrom('connections').select('name').execute();
    await db.destroy();
    expect(rows.filter(({ name }) => name !== null)).toEqual([]);
    expect(textOf(lines)).not.toContain(wrongKey);
  });

  it('is offered in the form unless a rule is against it there, and rejected with that rule at its field', async () => {
    const product = await startedProduct();
    const { workspace, ada, grace } = product;
    const alan = workspace.as('alan');
    await addSecond(product, []);
    const offered = async (person: typeof ada, command = '/agent go') => {
      await opensModal({ workspace }, person, command);
      return textOf(person.modal()?.content).includes('"second"');
    };
    const own = { name: 'Own', connections: 'default', people: [grace.person.id] };
    await addsRule(product, ada, own);
    expect([await offered(ada), await offered(grace)]).toEqual([true, false]);
    await ada.closesModal();
    // A typed connection stays in the form, even if a rule allows no other one.
    const other = { name: 'Other', connections: 'second', people: [alan.person.id] };
    await addsRule(product, ada, { ...other, after: 'Own' });
    expect(await offered(alan, '/agent connection=second go')).toBe(true);

    const here = { name: 'Here', after: 'Other', connections: 'default', channels: [general] };
    await addsRule(product, ada, here);
    await addsRule(product, ada, { name: 'Elsewhere', after: 'Here', connections: 'second' });
    await opensModal({ workspace }, ada, '/agent go');
    const rejected = await ada.submits({ channel: 'C04ENGINEER' });
    expect(rejected.errors?.['connection']).toContain(
      '"Elsewhere" only allows the connection "second"',
    );
    expect(await ada.submits({ connection: 'second' })).toEqual({});
    await workspace.until(() =>
      textOf(workspace.messagesIn('C04ENGINEER')).includes('second did: go'),
    );
  });

  it('says whom to ask when its key is rejected, heals when an admin replaces it, and ends its runs truthfully when it is removed', async () => {
    const product = await startedProduct();
    const { workspace, ada, grace, second } = product;
    await addSecond(product);
    const shown = await opensConnections(product, grace, general);
    expect(shown).toContain('second');
    expect(shown).not.toMatch(/Add connection|Remove|workspace's key"/);

    await ada.types(general, '/agent run wait');
    const message = await runMessageShowing(workspace, 'In progress');
    second.revoke(second.adminKey);
    await runMessageShowing(workspace, 'A workspace admin can replace it');
    await ada.clicks({ channelId: general, messageTs: message.ts }, 'connections:repair');
    await modalShowing(product, ada, 'Replace key');
    expect(textOf(await ada.submits({ key: second.adminKey }))).toContain('rejected this key');
    expect(await ada.submits({ key: second.spareKey })).toEqual({});
    await workspace.until(() => !textOf(runMessageIn(workspace)).includes('A workspace admin can'));
    await ada.closesModal({ all: true });
    expect(textOf(runMessageIn(workspace))).toContain('In progress');

    await opensConnections(product, ada, general);
    await pressesFor(ada, 'second', 'connections:remove');
    await runMessageShowing(workspace, "This run's connection was removed");
    expect(textOf(runMessageIn(workspace))).toContain('Unknown');
    await ada.closesModal({ all: true });
    // After the removal, the workspace uses the operator's connection again.
    await ada.types(general, '/agent run back');
    await runMessageShowing(workspace, 'done: back');
  });
});

describe("a person's own key", () => {
  it('makes their runs theirs, which end when it is disconnected, until it is connected again', async () => {
    const product = await startedProduct();
    const { workspace, ada, grace, second, config } = product;
    await addSecond(product);
    expect(await connectOwnKey(product, grace, second.graceKey)).toEqual({});
    await modalShowing(product, grace, 'use your own key');
    await grace.closesModal({ all: true });
    await grace.types(general, '/agent run of grace');
    await runMessageShowing(workspace, 'second did: of grace');
    await ada.types(general, '/agent run of ada');
    await runMessageShowing(workspace, 'second did: of ada');
    expect((await second.runs()).map(({ prompt, by }) => `${prompt} by ${by}`).sort()).toEqual([
      'of ada by admin',
      'of grace by grace',
    ]);
    const db = await openTestDatabase(config.databaseUrl);
    const audit = await db.selectFrom('audit_entries').select('action').execute();
    await db.destroy();
    const actions = audit.map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['connection_added', 'key_connected']));

    // Runs with a disconnected key end until the key is connected again.
    await grace.types(general, '/agent run wait');
    const message = await runMessageShowing(workspace, 'In progress');
    await opensConnections(product, grace, general);
    await pressesFor(grace, 'second', 'connections:disconnect');
    await runMessageShowing(workspace, 'disconnected the key for this run');
    await grace.closesModal({ all: true });
    const place = { channelId: general, messageTs: message.ts };
    await ada.clicks(place, 'connections:repair');
    await workspace.until(() => textOf(ada.sees(general).at(-1)).includes('can connect this key'));
    await grace.clicks(place, 'connections:repair');
    await modalShowing(product, grace, 'Connect your key');
    await grace.submits({ key: second.graceKey });
    await grace.closesModal({ all: true });
    await grace.clicks(place, 'run-message:follow-again');
    await runMessageShowing(workspace, 'In progress');
    await grace.clicks(place, 'run:cancel');
    await runMessageShowing(workspace, 'Canceled');
  });
});
