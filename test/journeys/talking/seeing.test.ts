import { expect, it } from 'vitest';
import { clientOf } from '../../../packages/runs-service/test/support/runs-service.ts';
import { homeOf } from '../../support/product/home.ts';
import {
  general,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';

const secrets = 'C04SECRETS1';
const engineering = 'C04ENGINEER';

type Product = Awaited<ReturnType<typeof startedProduct>>;

/** Starts a run as Ada in the private channel that she shares with Grace. */
async function startedInPrivate() {
  const product = await startedProduct();
  const { workspace, ada, service } = product;
  await ada.types(secrets, '/agent run title="Behind the door" count');
  const message = await runMessageShowing(workspace, 'Succeeded', secrets);
  const answer = await clientOf(service.apiUrl).request('/agent/runs');
  const { runs } = (await answer.json()) as { runs: { run_id: string }[] };
  const link = `https://x.slack.com/archives/${secrets}/p${message.ts.replace('.', '')}`;
  return { ...product, message, runId: String(runs[0]?.run_id), link };
}

/** Starts a run in a public channel. Alan leaves it, and then it becomes private. */
async function startedBeforePrivate() {
  const product = await startedProduct();
  const { workspace, ada } = product;
  await ada.types(engineering, '/agent run title="Once public" count');
  await runMessageShowing(workspace, 'Succeeded', engineering);
  await workspace.as('alan').leaves(engineering);
  await untilListed(product, 'alan', 'Once public');
  await ada.makesPrivate(engineering);
  return product;
}

/** Types an `/agent` command as this person in a public channel. Returns the private answer. */
async function answers({ workspace }: Product, name: string, command: string): Promise<string> {
  const person = workspace.as(name);
  const told = () =>
    workspace.messagesIn(general).filter(({ visibleTo }) => visibleTo === person.person.id);
  const before = told().length;
  await person.types(general, command);
  return textOf(await workspace.until(() => told()[before]));
}

/** Types `/agent list all` until it has this title, or no longer has it. */
async function untilListed(product: Product, name: string, title: string, isListed = true) {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await answers(product, name, '/agent list all');
    if (answer.includes(title) === isListed) return;
  }
  throw new Error(`"${title}" ${isListed ? "wasn't" : 'was still'} listed for ${name}`);
}

it('people outside a private channel see nothing of its runs, in commands and in the Home tab', async () => {
  const product = await startedInPrivate();
  const { workspace, ada } = product;
  expect(await answers(product, 'alan', '/agent list all')).not.toContain('Behind the door');
  expect(await answers(product, 'alan', `/agent show ${product.runId}`)).toContain('Run not found');
  const start = product.runId.slice(0, 8);
  expect(await answers(product, 'alan', `/agent show ${start}`)).toContain('Run not found');
  expect(await answers(product, 'alan', `/agent show ${product.link}`)).toContain(
    "doesn't point to a run message",
  );
  const canceled = await answers(product, 'alan', `/agent cancel ${product.runId}`);
  expect(canceled).toContain('that you can see was started from Slack');
  expect(await answers(product, 'grace', '/agent list all')).toContain('Behind the door');
  expect(await answers(product, 'grace', `/agent show ${product.link}`)).toContain('Succeeded');

  await ada.types(general, '/agent run title="In the open" count');
  await runMessageShowing(workspace, 'Succeeded');
  await untilListed(product, 'alan', 'In the open');
  for (const [name, titles, counted] of [
    ['alan', ['In the open'], '1 succeeded'],
    ['grace', ['In the open', 'Behind the door'], '2 succeeded'],
  ] as const) {
    const home = await homeOf(product, name);
    await home.clicks('home:creator', 'everyone');
    await home.until('In the open');
    await workspace.until(() => !home.text().includes('Loading'));
    for (const title of ['In the open', 'Behind the door'])
      expect(home.text().includes(title), `${name}: ${title}`).toBe(
        titles.some((each) => each === title),
      );
    expect(home.text()).toContain(counted);
  }
});

it('people who join a private channel see its runs, and people who leave can do nothing with them', async () => {
  const product = await startedInPrivate();
  const { workspace, ada, grace, message } = product;
  const alan = workspace.as('alan');
  await ada.invites(secrets, alan.person.id);
  await untilListed(product, 'alan', 'Behind the door');
  await grace.clicks({ channelId: secrets, messageTs: message.ts }, 'run:details');
  const view = await workspace.until(() =>
    textOf(grace.modal()?.content).includes('Timeline') ? grace.modal() : undefined,
  );
  await grace.leaves(secrets);
  await untilListed(product, 'grace', 'Behind the door', false);
  await grace.clicks({ view }, 'run:save-preset');
  await workspace.until(() => textOf(grace.modal()?.content).includes("you aren't in"));
  await ada.removesApp(secrets);
  await untilListed(product, 'alan', 'Behind the door', false);
  expect(await answers(product, 'ada', '/agent list all')).toContain('Behind the door');
});

it.each([
  ['by the first command there', ({ ada }: Product) => ada.types(engineering, '/agent help')],
  [
    'by an event of Slack',
    ({ workspace }: Product) => {
      const channel = { id: engineering, name: 'hidden', created: 1 };
      const event = { type: 'channel_rename', channel };
      const ids = { type: 'event_callback', event_id: 'EvRenamed', team_id: workspace.team.id };
      return workspace.deliver({ kind: 'events_api', payload: { ...ids, event } });
    },
  ],
])('runs of a channel that became private disappear for others %s', async (_, happens) => {
  const product = await startedBeforePrivate();
  await happens(product);
  await untilListed(product, 'alan', 'Once public', false);
  await untilListed(product, 'grace', 'Once public');
});
