import { WebClient } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import { createUnfurl } from '../../../src/slack/link-unfurl/register-link-unfurl.ts';
import { renderRunCard, renderRunEntity } from '../../../src/slack/link-unfurl/run-card.ts';
import { requestRow } from '../../../src/slack/runs/showing/run-rows.ts';
import { aRequest } from '../../support/builders.ts';

const url = 'https://runs.example.com/1';
const row = requestRow(aRequest());
const preview = { url, entity: renderRunEntity(row, url), blocks: renderRunCard(row, new Map()) };
const place = { channel: 'C1', message_ts: '1.000100' };

/** Unfurls twice, with a Slack that gives this answer to work objects. */
async function unfurlTwice(rejection: object) {
  const sent: string[] = [];
  const { logger, lines } = createLineLogger();
  const client = new WebClient('xoxb-test', {
    retryConfig: { retries: 0 },
    fetch: async (_: unknown, init?: RequestInit) => {
      const fields = new URLSearchParams(String(init?.body));
      const kind = fields.has('metadata') ? 'entities' : 'blocks';
      sent.push(kind);
      return Response.json(kind === 'entities' ? rejection : { ok: true });
    },
  });
  const unfurl = createUnfurl(client, logger);
  await unfurl(place, [preview]);
  await unfurl({ ...place, unfurl_id: 'd1', source: 'composer' }, [preview]);
  return { sent, logged: lines.map(({ msg }) => msg) };
}

describe('links to runs', () => {
  it('are work objects where Slack takes them', async () => {
    const both = await unfurlTwice({ ok: true, warning: 'missing_charset' });
    expect(both).toEqual({ sent: ['entities', 'entities'], logged: [] });
  });

  it.each([
    { ok: true, warning: 'invalid_metadata_format' },
    { ok: false, error: 'error_processing_metadata' },
    { ok: false, error: 'not_authorized' },
  ])('are blocks where Slack answers $warning $error, and the log says so once', async (answer) => {
    const { sent, logged } = await unfurlTwice(answer);
    expect(sent).toEqual(['entities', 'blocks', 'entities', 'blocks']);
    expect(logged).toEqual([expect.stringContaining("doesn't take work objects")]);
  });
});
