import { createHmac, randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../packages/base/test/support/free-port.ts';
import { clientOf } from '../../../packages/runs-service/test/support/runs-service.ts';
import type { Definition } from '../../../src/automations/automation.ts';
import { readyMade } from '../../../src/automations/ready-made.ts';
import { createWebhookSecret } from '../../../src/automations/webhook/senders.ts';
import { createAutomations } from '../../../src/store/automations/automations.ts';
import { createFirings } from '../../../src/store/automations/firings.ts';
import { mrkdwnIn } from '../../hostile/sent-payload.ts';
import { aDefinition, anAutomation } from '../../support/automations.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { isOverHttp } from '../../support/product/delivery.ts';
import {
  general,
  promptsSent,
  runMessageShowing,
  runMessagesIn,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

const made = readyMade.find(({ name }) => name === 'GitHub issue labeled');
if (!made) throw new Error('no ready-made automation');
const secret = createWebhookSecret();

/** Starts a bot with a webhook of Ada's in #general. */
async function startHook(changes: Partial<Definition> = {}) {
  const host = '127.0.0.1';
  const port = await freePort();
  const product = await startProduct(isOverHttp() ? {} : { health: { host, port } });
  const { delivery } = product.config.slack;
  const origin = `http://${host}:${delivery.mode === 'http' ? delivery.port : port}`;
  await product.startBot();
  const db = await openTestDatabase(product.config.databaseUrl);
  onTestFinished(() => db.destroy());
  const automations = createAutomations(db);
  const { workspace, ada } = product;
  const { filter, sender, prompt, title } = made ?? {};
  const trigger = { kind: 'webhook', sender: sender ?? 'github', filter: filter ?? [] } as const;
  const definition = aDefinition({ trigger, prompt: prompt ?? '', title: title ?? '', ...changes });
  const id = randomUUID();
  const of = { teamId: workspace.team.id, ownerId: ada.person.id, channelId: general };
  await automations.create(
    anAutomation({ id, name: 'Labels', definition, ...of }),
    of.ownerId,
    secret,
  );
  async function deliver(payload: object, key = secret) {
    const body = JSON.stringify(payload);
    const signature = createHmac('sha256', key).update(body).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'issues',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${signature}`,
    };
    return (await fetch(`${origin}/hooks/${id}`, { method: 'POST', headers, body })).status;
  }
  const states = async () => {
    const viewer = { teamId: of.teamId, userId: of.ownerId };
    const history = await createFirings(db).history(viewer, id, { limit: 10 });
    return history.map(({ firing }) => firing.state);
  };
  return { ...product, automations, id, origin, deliver, states };
}

const labeled = (title: string) => ({
  action: 'labeled',
  label: { name: 'agent' },
  issue: { number: 7, title, state: 'open', html_url: 'https://github.com/o/r/issues/7' },
  repository: { full_name: 'o/r' },
});

it('a signed delivery starts one run as its owner, with the payload as an untrusted file', async () => {
  const product = await startHook();
  const { workspace, deliver, states, service, ada } = product;
  const key = `ghp_${'a'.repeat(36)}`;
  const payload = labeled(`<!channel> Crash at https://evil.example ${key}`);
  expect(await deliver(payload, 'another secret')).toBe(401);
  expect(await deliver(payload)).toBe(202);
  expect(await deliver(payload)).toBe(202);
  expect(await deliver({ ...payload, action: 'unlabeled' })).toBe(202);
  const message = await runMessageShowing(workspace, 'Succeeded');
  await workspace.until(async () => (await states()).join() === 'unmatched,started');

  expect(runMessagesIn(workspace)).toHaveLength(1);
  const shown = textOf(message);
  expect(shown).toContain(`by automation *Labels*, for <@${ada.person.id}>`);
  expect(shown).not.toMatch(/https:\/\/evil|ghp_/);
  expect([message?.text, ...mrkdwnIn(message?.blocks)].join()).not.toContain('<!channel>');
  const [prompt = '', ...others] = await promptsSent(product);
  expect(others).toEqual([]);
  expect(prompt).toMatch(/^Fix issue #7 of o\/r: .*https:\/\/evil\.example \[masked secret 1\]\n/);
  expect(prompt).toContain('untrusted-payload.json');
  const answer = await clientOf(service.apiUrl).request('/agent/runs');
  const { runs } = (await answer.json()) as { runs: { title: string }[] };
  expect(runs.map(({ title }) => title)).toEqual([expect.not.stringContaining('https://')]);
});

it('a paused automation takes deliveries and starts nothing, and a deleted one takes none', async () => {
  const { workspace, automations, deliver, states, id, ada } = await startHook();
  const pause = { code: 'person', sentence: 'Paused.', by: ada.person.id, at: Date.now() } as const;
  await automations.pause(id, pause);
  expect(await deliver(labeled('Crash'))).toBe(202);
  await workspace.until(async () => (await states()).join() === 'skipped');
  await automations.remove(id, ada.person.id);
  expect(await deliver(labeled('Crash again'))).toBe(401);
  expect(runMessagesIn(workspace)).toEqual([]);
});

it('hooks are answered next to health probes and Slack, and other paths stay closed', async () => {
  const { origin, deliver } = await startHook();
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  expect((await fetch(`${origin}/hooks/unknown`, { method: 'POST', body: '{}' })).status).toBe(401);
  expect((await fetch(`${origin}/hooks/`, { method: 'POST', body: '{}' })).status).toBe(404);
  expect(await deliver(labeled('x'.repeat(1024 * 1024)))).toBe(413);
});
