import { createMetrics } from 'base/metrics/metrics';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../base/test/support/free-port.ts';
import { knownModel } from '../../src/gateway/gateway-reports.ts';
import { createServiceMetrics } from '../../src/metrics/service-metrics.ts';
import { useDatabase } from '../support/databases.ts';
import { answerMessage, messageBody, openGatewayBed } from './gateway-bed.ts';

const db = useDatabase();

it('model calls and rejections are in the metrics, with names that the operator knows', async () => {
  const port = await freePort();
  const metrics = createMetrics({ host: '127.0.0.1', port });
  await metrics.start();
  onTestFinished(() => metrics.stop());
  const bed = await openGatewayBed(db(), {
    answer: (_request, response) => answerMessage(response),
    reports: createServiceMetrics(metrics),
  });
  await bed.call('/anthropic/v1/messages', { body: messageBody });
  await bed.call('/anthropic/v1/files', { body: messageBody });
  await bed.call('/anthropic/v1/messages', { body: '{}' });
  const [row] = await bed.endedRows();

  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith('slash_agent_service_model_'));
  const usd = (row?.price_micros ?? 0) / 1_000_000;
  const call = 'provider="anthropic",model="claude-opus-5-5"';
  for (const line of [
    `slash_agent_service_model_dollars_total{${call}} ${usd}`,
    `slash_agent_service_model_tokens_total{${call},kind="input"} 100`,
    `slash_agent_service_model_tokens_total{${call},kind="output"} 50`,
    'slash_agent_service_model_calls_total{provider="anthropic",outcome="completed"} 1',
    'slash_agent_service_model_rejections_total{reason="not_found"} 1',
    'slash_agent_service_model_rejections_total{reason="invalid_request"} 1',
    'slash_agent_service_model_added_seconds_count 1',
  ])
    expect(lines).toContain(line);
});

it('an unknown name of a model is "other" in the metrics', () => {
  const provider = { name: 'own', api: 'openai' as const, allowed: ['a'], prices: {} };
  expect(knownModel(provider, 'a', 'unpriced')).toBe('a');
  expect(knownModel(provider, 'b', 'openai/gpt-6-sol')).toBe('gpt-6-sol');
  expect(knownModel(provider, 'b', 'unpriced')).toBe('other');
  expect(knownModel(provider, 'toString', undefined)).toBe('other');
});
