import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { useDatabase } from '../support/databases.ts';
import {
  answerMessage,
  messageBody,
  messageEvents,
  openGatewayBed,
  realKey,
} from './gateway-bed.ts';

const db = useDatabase();

describe('a model call', () => {
  it('reaches the provider with its key, streams back, and is settled', async () => {
    const seen: { headers: IncomingMessage['headers']; url: string | undefined; body: string }[] =
      [];
    const bed = await openGatewayBed(db(), {
      async answer(request, response) {
        seen.push({ headers: request.headers, url: request.url, body: await text(request) });
        answerMessage(response);
      },
    });
    const answer = await bed.call('/anthropic/v1/messages?beta=true', {
      headers: {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        'anthropic-beta': 'context-1m-2025-08-07',
        'anthropic-organization-id': 'org',
        'accept-encoding': 'gzip, br',
        cookie: 'a=b',
        'x-forwarded-for': '1.2.3.4',
      },
      body: messageBody,
    });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(messageEvents.start + messageEvents.text + messageEvents.end);
    expect(answer.headers['request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ url: '/v1/messages?beta=true', body: messageBody });
    expect(Object.keys(seen[0]?.headers ?? {}).sort()).toEqual([
      ...['accept-encoding', 'anthropic-beta', 'anthropic-version', 'connection'],
      ...['content-length', 'content-type', 'host', 'x-api-key'],
    ]);
    expect(seen[0]?.headers).toMatchObject({ 'x-api-key': realKey, 'accept-encoding': 'identity' });
    const [row] = await bed.endedRows();
    expect(row).toMatchObject({
      outcome: 'completed',
      status: 200,
      model: 'claude-opus-5-5',
      input_tokens: 100,
      output_tokens: 50,
      estimated: 0,
      upstream_id: 'req_upstream',
    });
    expect(row?.price_micros).toBeGreaterThan(0);
    expect(row?.id).toBe(answer.headers['request-id']);
  });
});
