import { describe, expect, it } from 'vitest';
import { testKey } from '../../../packages/runs-service/test/support/runs-service.ts';
import { startApiGate } from '../../support/network/api-gate.ts';
import { startApiStub } from '../../support/network/api-stub.ts';
import {
  general,
  opensModal,
  picked,
  runMessageIn,
  runMessageShowing,
  showMore,
  startedProduct,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

it('invalid input is reported at each field, all at once, and nothing that was typed is lost', async () => {
  const product = await startedProduct();
  const { ada, workspace } = product;
  await opensModal(product, ada);
  await showMore(product);
  const { errors } = await ada.submits({
    prompt: '   \n ',
    skill_spec: picked('no-colon-here'),
    mcp_servers: '{"docs": ',
    title: 'A title',
  });
  expect(Object.keys(errors ?? {}).sort()).toEqual(['mcp_servers', 'prompt', 'skill_spec']);
  expect(errors?.['mcp_servers']).toMatch(/isn't valid JSON/);
  expect(ada.modal()?.values['title']?.['value']?.['value']).toBe('A title');

  const start = '<!channel> <@U04GRACEHOP> & &amp; *bold* `code` 👩‍👩‍👧 שלום مرحبا ';
  const prompt = start + '&'.repeat(3_000 - [...start].length);
  const mended = { prompt, skill_spec: null, mcp_servers: '' };
  const unknown = await ada.submits({ ...mended, environment_id: picked('nowhere') });
  expect(unknown.errors?.['environment_id']).toMatch(/no environment nowhere\. Available: shell\./);
  expect(runMessageIn(workspace)).toBeUndefined();

  // The hostile prompt is sent unchanged, and its mentions have no effect.
  expect(await ada.submits({ environment_id: null })).toEqual({});
  const message = await runMessageShowing(workspace, 'Succeeded');
  expect(textOf(message.blocks)).toContain('done: <\u2060!channel>');
  const mrkdwn = textOf(message.blocks).match(/"mrkdwn","text":"[^"]*/g);
  expect(mrkdwn?.join(' ')).not.toMatch(/<!channel>|<@U04GRACEHOP>/);
  expect(message.text).not.toMatch(/<!channel>/);
});

describe('a runs service in trouble', () => {
  it('rejects the key, then the run: the message says what to do, and two clicks on Try again start it once', async () => {
    const product = await startProduct();
    const gate = await startApiGate(product.service.apiUrl);
    gate.answer(() => ({ status: 401, body: {} }));
    await product.startBot({ runsApi: { baseUrl: gate.baseUrl, apiKey: testKey } });
    await opensModal(product, product.ada);
    await product.ada.submits({ prompt: 'go' });
    const message = await runMessageShowing(product.workspace, 'set a valid RUNS_API_KEY');
    expect(textOf(message)).not.toContain(testKey);
    const place = { channelId: general, messageTs: message.ts };
    gate.answer(() => ({ status: 422, body: { detail: 'There is no environment "shop".' } }));
    await product.ada.clicks(place, 'run-message:try-again');
    await runMessageShowing(product.workspace, 'There is no environment');
    gate.pass();
    await Promise.all([
      product.ada.clicks(place, 'run-message:try-again'),
      product.grace.clicks(place, 'run-message:try-again'),
    ]);
    const ended = await runMessageShowing(product.workspace, 'Succeeded');
    expect(ended.ts).toBe(message.ts);
    const creates = gate.received.filter(({ method }) => method === 'POST');
    expect(creates).toHaveLength(3);
  });

  it("can't be reached when a run starts or continues, or has an unknown state: one message says so, and recovers", async () => {
    const product = await startProduct();
    const { workspace } = product;
    const api = await startApiStub();
    await api.stop();
    const apiKey = 'key-of-the-stub';
    await product.startBot({ runsApi: { baseUrl: api.baseUrl, apiKey } });
    await opensModal(product, product.ada);
    await product.ada.submits({ prompt: 'go' });
    const message = await runMessageShowing(workspace, 'trying to start this run since');
    expect(textOf(message)).toContain("can't be reached");
    api.answers('DREAMING_<!here>');
    await api.start();
    await runMessageShowing(workspace, 'Dreaming &lt;!here&gt;');
    await api.stop();
    await runMessageShowing(workspace, 'No updates since');
    await api.start();
    api.answers('SUCCEEDED');
    const ended = await runMessageShowing(workspace, 'Succeeded');
    expect(textOf(ended)).not.toContain('No updates');
    expect(ended.ts).toBe(message.ts);
    expect(api.created).toHaveLength(1);
  });

  it('answers HTML on creation: the message says that a run may exist, until the service is back', async () => {
    const product = await startProduct();
    const api = await startApiStub();
    api.answersHtml();
    await product.startBot({
      runsApi: { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub', settleMs: 1_000 },
    });
    await opensModal(product, product.ada);
    await product.ada.submits({ prompt: 'go' });
    const unsure = await runMessageShowing(product.workspace, 'the run may exist');
    api.answers('SUCCEEDED');
    const ended = await runMessageShowing(product.workspace, 'Succeeded');
    expect(ended.ts).toBe(unsure.ts);
  });
});
