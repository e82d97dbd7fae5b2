import { describe, expect, it } from 'vitest';
import { sendsEndlessly, sendsSlowly } from '../../../base/test/support/bad-senders.ts';
import { shellEnvironment, startRunsService, testKey } from '../support/runs-service.ts';

const headers = { 'content-type': 'application/json', authorization: `Bearer ${testKey}` };

describe('a body that never ends', () => {
  it('is cut off, with and without a key', async () => {
    const { service, request } = await startRunsService({
      environments: [shellEnvironment('true')],
    });
    const create = `${service.apiUrl}/agent/run`;
    const [slow, slowStranger, endless, endlessStranger, ...pages] = await Promise.all([
      sendsSlowly({ url: create, headers }),
      sendsSlowly({ url: create }),
      sendsEndlessly({ url: create, headers }),
      sendsEndlessly({ url: create }),
      sendsSlowly({ url: `${service.url}/runs` }),
      sendsEndlessly({ url: `${service.url}/runs` }),
    ]);
    expect(slow.reply).toMatch(/^HTTP\/1\.1 408 .*application\/problem\+json.*took longer/s);
    expect(slowStranger.reply).toContain(' 401 ');
    expect(endless.reply).toContain(' 413 ');
    expect(endlessStranger.reply).toContain(' 401 ');
    for (const page of pages) expect(page.reply).not.toContain('200 OK');
    expect((await request('/agent/runs')).status).toBe(200);
  });
});
