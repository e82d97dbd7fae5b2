/** An admin takes over an automation from the page. Nothing of its earlier owner is used afterwards. */
import type { Actor } from 'slack-stand-in';
import { expect, it, onTestFinished } from 'vitest';
import { clientOf } from '../../../packages/runs-service/test/support/runs-service.ts';
import { writePreset } from '../../../src/slack/configuration/presets.ts';
import { createSettings } from '../../../src/store/people/settings.ts';
import { createStore } from '../../../src/store/store.ts';
import { everyMorning } from '../../support/automations.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import {
  makeSchedulesDue,
  startAutomatedProduct,
  storeAutomation,
} from '../../support/product/automations.ts';
import { general, opensModal, runMessageShowing, textOf } from '../../support/product/product.ts';

type Product = Awaited<ReturnType<typeof startWithGraces>>;

const key = 'hush-hush-1';
const presetKey = 'hush-hush-2';
const servers = (value: string) => ({
  docs: { url: 'https://mcp.example.com', headers: { 'X-Key': value } },
  open: { url: 'https://open.example.com' },
});

/** Starts a product with an automation of Grace, with her own preset and MCP servers with keys. */
async function startWithGraces() {
  const product = await startAutomatedProduct();
  const { grace, workspace, config } = product;
  const db = await openTestDatabase(config.databaseUrl);
  onTestFinished(() => db.destroy());
  const store = createStore(db);
  const asker = { teamId: workspace.team.id, userId: grace.person.id, channelId: general };
  await writePreset(createSettings(db), asker, {
    scope: 'person',
    name: 'nightly',
    config: { model_id: 'small', mcp_servers: servers(presetKey) },
  });
  const id = await storeAutomation(product, {
    name: 'Check',
    channelId: general,
    ownerId: grace.person.id,
    trigger: everyMorning,
    prompt: 'check it',
    preset: 'person:nightly',
    config: { name: 'nightly-check', mcp_servers: servers(key) },
  });
  return { ...product, store, id, stored: () => store.automations.find(workspace.team.id, id) };
}

const shows = ({ workspace }: Product, person: Actor, words: string) =>
  workspace.until(() => {
    const text = textOf(person.modal()?.content);
    return text.includes(words) ? text : undefined;
  });

async function clicks(person: Actor, actionId: string, value?: string) {
  const view = person.modal();
  if (!view) throw new Error('no modal is open');
  await person.clicks({ view }, actionId, value);
}

/** Opens the page and in it the details of the automation. */
async function opensDetails(product: Product, person: Actor) {
  await opensModal(product, person, '/agent automations');
  await clicks(person, 'automations:open', product.id);
  return shows(product, person, '*History*');
}

/** Makes a button of the person's open view one that the app didn't offer. */
function forges(person: Actor, actionId: string, as: { action_id?: string; value?: string }) {
  const blocks = person.modal()?.content['blocks'];
  const button = (Array.isArray(blocks) ? blocks : [])
    .flatMap(({ elements = [] }) => elements)
    .find((element) => element.action_id === actionId);
  Object.assign(button, as);
}

it('the form says what is left out, and the new owner starts the next run, with nothing of the earlier one', async () => {
  const product = await startWithGraces();
  const { ada, grace, service, workspace } = product;
  await opensDetails(product, grace);
  expect(await opensDetails(product, ada)).not.toContain('automations:edit');
  await clicks(ada, 'automations:take-over');
  const form = await shows(product, ada, 'Take over automation');
  expect(form).toContain(`you become the owner instead of <@${grace.person.id}>`);
  expect(form).toContain(`<@${grace.person.id}>'s own preset \`nightly\` isn't included.`);
  expect(form).toContain('MCP servers with keys are left out');
  expect(form).not.toMatch(/hush-hush|mcp\.example/);
  expect((await product.stored())?.ownerId).toBe(grace.person.id);

  expect(await ada.submits()).toEqual({});
  await shows(product, ada, `*Runs as:* <@${ada.person.id}>`);
  expect(await product.stored()).toMatchObject({
    ownerId: ada.person.id,
    definition: {
      preset: null,
      config: { name: 'nightly-check', mcp_servers: { open: { url: 'https://open.example.com' } } },
    },
  });
  const [entry] = await product.store.audit.list({ teamId: workspace.team.id }, 1);
  expect(entry).toMatchObject({ action: 'automation_taken_over', actorId: ada.person.id });

  await clicks(grace, 'automations:edit');
  await shows(product, grace, `🔒 Only <@${ada.person.id}>, who owns this automation`);
  expect(await product.stored()).toMatchObject({ revision: 1 });

  await makeSchedulesDue(product);
  const ended = await runMessageShowing(workspace, 'Succeeded');
  expect(textOf(ended)).toContain(`by automation *Check*, for <@${ada.person.id}>`);
  const answer = await clientOf(service.apiUrl).request('/agent/runs');
  expect(await answer.text()).not.toMatch(/hush-hush|mcp\.example|small/);
  const viewer = { teamId: workspace.team.id, userId: ada.person.id };
  const [request] = await product.store.list.page({ viewer }, { limit: 1 });
  expect(request?.creatorId).toBe(ada.person.id);
});

it('others and people who were not offered it take over nothing, also with a forged click', async () => {
  const product = await startWithGraces();
  const { grace, workspace } = product;
  const alan = workspace.as('alan');
  expect(await opensDetails(product, alan)).not.toContain('automations:take-over');
  forges(alan, 'automations:list', { action_id: 'automations:take-over', value: product.id });
  await clicks(alan, 'automations:take-over');
  await shows(product, alan, '🔒 Only workspace admins can take over automations.');
  await opensDetails(product, grace);
  forges(grace, 'automations:edit', { action_id: 'automations:take-over' });
  await clicks(grace, 'automations:take-over');
  await shows(product, grace, '🔒 You own this automation already.');
  expect(await product.stored()).toMatchObject({ ownerId: grace.person.id, revision: 0 });
});
