import { expect, it } from 'vitest';
import type { NewAutomation } from '../../../src/store/automations/automation-row.ts';
import { createStore } from '../../../src/store/store.ts';
import { anAutomation } from '../../support/automations.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { homeOf } from '../../support/product/home.ts';
import { general, opensModal, startedProduct, textOf } from '../../support/product/product.ts';

type Product = Awaited<ReturnType<typeof startedProduct>>;
type Person = Product['ada'];

const secrets = 'C04SECRETS1';
/** Far in the future, so that no test fires it. */
const nextAt = Date.parse('2099-01-01T08:00Z');

/** Adds automations to the database of the bot, as the form does. */
async function withStore<T>(
  { config }: Product,
  work: (store: ReturnType<typeof createStore>) => Promise<T>,
): Promise<T> {
  const db = await openTestDatabase(config.databaseUrl);
  try {
    return await work(createStore(db));
  } finally {
    await db.destroy();
  }
}

async function startWith(changes: Partial<NewAutomation>[]) {
  const product = await startedProduct();
  const { workspace, ada } = product;
  const teamId = workspace.team.id;
  await withStore(product, async ({ automations }) => {
    for (const each of changes) {
      const usual = { teamId, ownerId: ada.person.id, channelId: general, nextAt };
      await automations.create(anAutomation({ ...usual, ...each }), ada.person.id);
    }
  });
  return product;
}

const shown = (person: Person) => textOf(person.modal()?.content);
const until = ({ workspace }: Product, person: Person, words: string) =>
  workspace.until(() => shown(person).includes(words));
const clicks = (person: Person, id: string, value?: string) => {
  const view = person.modal();
  if (!view) throw new Error('no modal is open');
  return person.clicks({ view }, id, value);
};

it('lists automations by channel to those who see it, with what and when next', async () => {
  const product = await startWith([
    { id: 'a1', name: 'Nightly check' },
    { id: 'a2', name: 'Behind the door', channelId: secrets, ownerId: 'U04GRACEHOP' },
  ]);
  await opensModal(product, product.ada, '/agent automations');
  const list = shown(product.ada);
  expect(list).toContain('*Nightly check*  ·  every day at 9:00 (Europe/Berlin)');
  expect(list).toMatch(/Next: <!date\^4070937600\^/);
  expect(list).toContain(`*<#${general}>*`);
  expect(list).not.toContain('Behind the door');
  await clicks(product.ada, 'automations:which', 'here');
  await until(product, product.ada, 'Nightly check');
  await opensModal(product, product.grace, '/agent automations');
  expect(shown(product.grace)).toContain('Behind the door');
});

it('lets its owner pause, resume and delete one, and says what happened', async () => {
  const product = await startWith([{ id: 'a1', name: 'Nightly check' }]);
  const { ada } = product;
  await opensModal(product, ada, '/agent automations');
  await clicks(ada, 'automations:open', 'a1');
  await until(product, ada, '*History*');
  expect(shown(ada)).toContain('Nothing has started it yet');
  await clicks(ada, 'automations:pause', 'a1');
  await until(product, ada, 'Paused since');
  expect(shown(ada)).toContain(`<@${ada.person.id}> paused it.`);
  await clicks(ada, 'automations:resume', 'a1');
  await until(product, ada, 'On  ·  next run');
  await clicks(ada, 'automations:delete', 'a1');
  await until(product, ada, 'No automations yet');
  const log = await withStore(product, ({ audit }) =>
    audit.list({ teamId: product.workspace.team.id, action: 'automation' }, 9),
  );
  expect(log.map(({ action }) => action)).toEqual([
    'automation_deleted',
    'automation_resumed',
    'automation_paused',
    'automation_created',
  ]);
});

it('lets its owner start a schedule now', async () => {
  const product = await startWith([{ id: 'a1', name: 'Nightly check' }]);
  const { ada, workspace } = product;
  await opensModal(product, ada, '/agent automations');
  await clicks(ada, 'automations:open', 'a1');
  await until(product, ada, 'Start now');
  await clicks(ada, 'automations:start-now');
  await until(product, ada, 'Starting');
  const ofBot = () =>
    workspace.messagesIn(general).filter(({ botId }) => botId === workspace.bot.botId);
  await workspace.until(() => ofBot().length === 1);
  expect(textOf(ofBot())).toContain('Nightly check');
});

it('offers others nothing, and denies the buttons of an old view', async () => {
  const product = await startWith([{ id: 'a1', name: 'Nightly check', ownerId: 'U04GRACEHOP' }]);
  const { workspace } = product;
  const alan = workspace.as('alan');
  await opensModal(product, alan, '/agent automations');
  await clicks(alan, 'automations:open', 'a1');
  await until(product, alan, '*History*');
  expect(shown(alan)).not.toMatch(/automations:(pause|edit|delete|take-over)/);
  const { grace } = product;
  await opensModal(product, grace, '/agent automations');
  await clicks(grace, 'automations:open', 'a1');
  await until(product, grace, 'automations:pause');
  await withStore(product, async ({ automations }) => {
    const automation = await automations.find(workspace.team.id, 'a1');
    if (!automation) throw new Error('no automation');
    const { name, channelId, definition } = automation;
    const next = { name, channelId, definition, nextAt, ownerId: alan.person.id };
    expect(await automations.change('a1', automation.revision, next, alan.person.id)).toBe(
      'changed',
    );
  });
  await clicks(grace, 'automations:pause', 'a1');
  await until(product, grace, '🔒');
  const stored = await withStore(product, ({ automations }) =>
    automations.find(workspace.team.id, 'a1'),
  );
  expect(stored?.pause).toBeNull();
});

it('turns the pages of the list and of the history, and back', async () => {
  const many = Array.from({ length: 27 }, (_, index) => {
    const number = `${index}`.padStart(2, '0');
    return { id: `a${number}`, name: `Check ${number}` };
  });
  const product = await startWith(many);
  const { ada, workspace } = product;
  const teamId = workspace.team.id;
  await withStore(product, async ({ firings }) => {
    const fired = { kind: 'schedule', count: 1, lastAt: 1 } as const;
    // The entries of a minute must be neither left out nor repeated.
    for (let at = 0; at < 45; at += 1)
      await firings.add({
        automationId: 'a25',
        teamId,
        key: `at ${at}`,
        happenedAt: (1 + Math.floor(at / 10)) * 60_000,
        fired,
      });
  });
  await opensModal(product, ada, '/agent automations');
  expect(shown(ada)).toContain('*Check 24*');
  expect(shown(ada)).not.toContain('*Check 25*');
  await clicks(ada, 'automations:turn');
  await until(product, ada, '*Check 26*');
  expect(shown(ada)).not.toContain('*Check 24*');
  expect(shown(ada)).not.toContain('automations:turn"');
  await clicks(ada, 'automations:turn-back');
  await until(product, ada, '*Check 00*');
  await clicks(ada, 'automations:turn');
  await until(product, ada, '*Check 26*');

  const entries = () => shown(ada).match(/<!date\^\d+\^[^>]*> {2}· {2}schedule/g)?.length;
  await clicks(ada, 'automations:open', 'a25');
  await until(product, ada, '*History*');
  expect(entries()).toBe(20);
  expect(shown(ada)).not.toContain('automations:turn-back');
  await clicks(ada, 'automations:turn');
  await until(product, ada, 'automations:turn-back');
  expect(entries()).toBe(20);
  await clicks(ada, 'automations:turn');
  await workspace.until(() => !shown(ada).includes('automations:turn"'));
  expect(entries()).toBe(5);
  await clicks(ada, 'automations:turn-back');
  await workspace.until(() => !shown(ada).includes('automations:turn-back'));
  expect(entries()).toBe(20);
  await clicks(ada, 'automations:list');
  await until(product, ada, '*Check 00*');
});

it('denies an admin to resume what its owner paused, and offers to take it over', async () => {
  const product = await startWith([{ id: 'a1', name: 'Nightly check', ownerId: 'U04GRACEHOP' }]);
  const { ada, workspace } = product;
  const pause = { code: 'person', sentence: 'Paused.', at: 5 } as const;
  const pauses = (by: string) =>
    withStore(product, ({ automations }) => automations.pause('a1', { ...pause, by }));
  await pauses('system');
  await opensModal(product, ada, '/agent automations');
  await clicks(ada, 'automations:open', 'a1');
  await until(product, ada, 'automations:resume');
  await withStore(product, ({ automations }) => automations.resume('a1', nextAt, 'U04GRACEHOP'));
  await pauses('U04GRACEHOP');
  await clicks(ada, 'automations:resume', 'a1');
  await until(product, ada, 'You can take it over.');
  const stored = await withStore(product, ({ automations }) =>
    automations.find(workspace.team.id, 'a1'),
  );
  expect(stored?.pause).toMatchObject({ by: 'U04GRACEHOP' });
  await opensModal(product, ada, '/agent automations');
  await clicks(ada, 'automations:open', 'a1');
  await until(product, ada, 'automations:take-over');
  expect(shown(ada)).not.toContain('automations:resume');
});

it('opens from Home, and shows what someone saves in the form below it', async () => {
  const product = await startWith([{ id: 'a1', name: 'Nightly check' }]);
  const { ada, workspace } = product;
  const home = await homeOf(product, 'ada');
  await home.clicks('home:more', 'automations');
  await workspace.until(() => shown(ada).includes('Nightly check'));
  await clicks(ada, 'automations:open', 'a1');
  await until(product, ada, '*History*');
  await clicks(ada, 'automations:edit', 'a1');
  await until(product, ada, 'automation_name');
  await ada.submits({ automation_name: 'Weekly check' });
  await until(product, ada, '*Weekly check*');
  expect(ada.modals()).toHaveLength(1);
});

it('tells the owner and the channel once that an automation is paused', async () => {
  const product = await startWith([{ id: 'a1', name: 'Nightly <!channel>' }]);
  const { ada, workspace } = product;
  await withStore(product, async ({ automations }) => {
    const pause = {
      code: 'failures',
      sentence: 'Five starts failed.',
      by: 'system',
      at: 5,
    } as const;
    expect(await automations.pause('a1', pause)).toBe(true);
    expect(await automations.pause('a1', pause)).toBe(false);
  });
  const noticesIn = (channelId: string) =>
    workspace.messagesIn(channelId).filter((each) => textOf(each).includes('is paused'));
  await workspace.until(() => noticesIn(ada.directChannelId).length > 0);
  await workspace.until(() => noticesIn(general).length > 0);
  const [message] = noticesIn(general);
  expect(textOf(message)).toContain('Nightly &lt;!channel&gt;');
  expect(textOf(message)).not.toContain(`<@${ada.person.id}>`);
  await ada.clicks({ channelId: general, messageTs: message?.ts ?? '' }, 'automations:open');
  await until(product, ada, 'Five starts failed.');
  expect([noticesIn(general).length, noticesIn(ada.directChannelId).length]).toEqual([1, 1]);
});
