import { describe, expect, it } from 'vitest';
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
import { stubbedProduct } from '../../support/product/stubbed-product.ts';
import { testKey } from '../../support/runs-service.ts';

describe('invalid input in the form', () => {
  it('is reported at each field, all at once, and nothing that was typed is lost', async () => {
    const product = await startedProduct();
    await opensModal(product, product.ada);
    await showMore(product);
    const { errors } = await product.ada.submits({
      prompt: '   \n ',
      skill_spec: picked('no-colon-here'),
      mcp_servers: '{"docs": ',
      title: 'A title',
    });
    expect(Object.keys(errors ?? {}).sort()).toEqual(['mcp_servers', 'prompt', 'skill_spec']);
    expect(errors?.['mcp_servers']).toMatch(/isn't valid JSON/);
    expect(product.ada.modal()?.values['title']?.['value']?.['value']).toBe('A title');
    expect(runMessageIn(product.workspace)).toBeUndefined();
  });

  it.each([
    ['[]', 'map of servers'],
    ['{"docs": {}}', 'exactly one of'],
    ['{"docs": {"command": "a", "url": "b"}}', 'exactly one of'],
    ['{"docs": {"url": 5}}', 'docs → url must be text in quotes'],
    ['{"docs": {"command": "a", "args": "b"}}', 'docs → args must be a list in brackets'],
    ['{"docs": {"url": "a", "headers": []}, "x": []}', 'docs → headers must be a map in braces'],
    ['null', 'map of servers'],
  ])('is refused with a reason: MCP servers %s', async (json, sentence) => {
    const product = await startedProduct();
    await opensModal(product, product.ada);
    await showMore(product);
    const { errors } = await product.ada.submits({ prompt: 'go', mcp_servers: json });
    expect(errors?.['mcp_servers']).toContain(sentence);
  });

  it('arrives whole and mentions nobody, if it is a hostile prompt of 3,000 characters', async () => {
    const product = await startedProduct();
    await opensModal(product, product.ada);
    const start = '<!channel> <@U04GRACEHOP> & &amp; *bold* `code` 👩‍👩‍👧 שלום مرحبا ';
    const prompt = start + '&'.repeat(3_000 - [...start].length);
    expect(await product.ada.submits({ prompt })).toEqual({});
    const message = await runMessageShowing(product.workspace, 'Succeeded');
    expect(textOf(message.blocks)).toContain('<!channel>');
    const mrkdwn = textOf(message.blocks)
      .match(/"mrkdwn","text":"[^"]*/g)
      ?.join(' ');
    expect(mrkdwn).not.toMatch(/<!channel>|<@U04GRACEHOP>/);
    expect(message.text).not.toMatch(/<!channel>/);
  });
});

describe('what the runs service refuses', () => {
  it('an unknown environment: the message lists the available ones and offers Try again', async () => {
    const product = await startedProduct();
    await product.ada.types(general, '/agent run env=nowhere go');
    const message = await runMessageShowing(product.workspace, 'Not started');
    expect(textOf(message)).toContain('shell');
    expect(textOf(message)).toContain('Try again');
  });

  it('an unknown environment: the form says so at the field and lists the available ones', async () => {
    const product = await startedProduct();
    await opensModal(product, product.ada);
    const { errors } = await product.ada.submits({
      prompt: 'go',
      environment_id: picked('nowhere'),
    });
    expect(errors?.['environment_id']).toMatch(/no environment nowhere\. Available: shell\./);
    expect(runMessageIn(product.workspace)).toBeUndefined();
    expect(await product.ada.submits({ environment_id: null })).toEqual({});
  });

  it('a wrong key: the message says what an admin must do, without the key', async () => {
    const product = await startProduct();
    const baseUrl = product.service.apiUrl;
    await product.startBot({ runsApi: { baseUrl, apiKey: 'not-the-key-at-all' } });
    await opensModal(product, product.ada);
    await product.ada.submits({ prompt: 'go' });
    const message = await runMessageShowing(product.workspace, 'Not started');
    expect(textOf(message)).toContain('set a valid RUNS_API_KEY');
    expect(textOf(message)).not.toContain('not-the-key-at-all');
  });
});

describe('a runs service in trouble', () => {
  it('is down on submission: the message says since when, and the run starts automatically', async () => {
    const product = await startProduct();
    const api = await startApiStub();
    await api.stop();
    const apiKey = 'key-of-the-stub';
    await product.startBot({ runsApi: { baseUrl: api.baseUrl, apiKey } });
    await opensModal(product, product.ada);
    await product.ada.submits({ prompt: 'go' });
    const message = await runMessageShowing(product.workspace, 'trying to start this run since');
    expect(textOf(message)).toContain("can't be reached");
    await api.start();
    api.answers('SUCCEEDED');
    const ended = await runMessageShowing(product.workspace, 'Succeeded');
    expect(ended.ts).toBe(message.ts);
    expect(api.created).toHaveLength(1);
  });

  it('refuses a run: nothing is lost, and two clicks on Try again start it once', async () => {
    const product = await startProduct();
    const gate = await startApiGate(product.service.apiUrl);
    gate.answer(() => ({ status: 422, body: { detail: 'There is no environment "shop".' } }));
    await product.startBot({ runsApi: { baseUrl: gate.baseUrl, apiKey: testKey } });
    await opensModal(product, product.ada);
    await product.ada.submits({ prompt: 'go' });
    const message = await runMessageShowing(product.workspace, 'Not started');
    expect(textOf(message)).toContain('There is no environment');
    gate.pass();
    const place = { channelId: general, messageTs: message.ts };
    await Promise.all([
      product.ada.clicks(place, 'run-message:try-again'),
      product.grace.clicks(place, 'run-message:try-again'),
    ]);
    const ended = await runMessageShowing(product.workspace, 'Succeeded');
    expect(ended.ts).toBe(message.ts);
    const creates = gate.received.filter(({ method }) => method === 'POST');
    expect(creates).toHaveLength(2);
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
    expect(textOf(unsure)).not.toContain('<html');
    api.answers('SUCCEEDED');
    const ended = await runMessageShowing(product.workspace, 'Succeeded');
    expect(ended.ts).toBe(unsure.ts);
  });

  it('answers an unknown state: the message shows it, and the run is followed to the end', async () => {
    const { api, ...product } = await stubbedProduct('DREAMING_<!here>');
    await opensModal(product, product.ada);
    await product.ada.submits({ prompt: 'go' });
    const message = await runMessageShowing(product.workspace, 'DREAMING_&lt;!here&gt;');
    api.answers('SUCCEEDED');
    const ended = await runMessageShowing(product.workspace, 'Succeeded');
    expect(ended.ts).toBe(message.ts);
  });

  it('stops answering during a run: the message says since when, and recovers', async () => {
    const { api, ...product } = await stubbedProduct('INPROGRESS');
    await opensModal(product, product.ada);
    await product.ada.submits({ prompt: 'go' });
    await runMessageShowing(product.workspace, 'In progress');
    await api.stop();
    await runMessageShowing(product.workspace, 'No updates since');
    await api.start();
    api.answers('SUCCEEDED');
    const healed = await runMessageShowing(product.workspace, 'Succeeded');
    expect(textOf(healed)).not.toContain('No updates');
  });
});
