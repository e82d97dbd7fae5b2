import { expect, it } from 'vitest';
import { shellEnvironment, startRunsService } from '../support/runs-service.ts';

const html = 'text/html,application/xhtml+xml,*/*;q=0.8';

const started = () =>
  startRunsService({
    environments: [shellEnvironment('sleep 60')],
    publicUrl: 'https://runs.example.org',
    keyHint: 'Keys are in the vault.',
  });

it('a dead or revoked session link is a page for browsers, and a problem for clients', async () => {
  const { service } = await started();
  for (const path of ['/session/nothing', '/session/nothing/output.log', '/nowhere/at/all']) {
    const page = await fetch(`${service.url}${path}`, { headers: { accept: html } });
    const text = await page.text();
    expect([page.status, page.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=UTF-8',
    ]);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(text).toContain('<h1>Not found</h1>');
    // Links are relative, because a proxy may serve the pages below a path.
    const style = /href="([^"]*session\.css)"/.exec(text)?.[1] ?? '';
    expect((await fetch(new URL(style, `${service.url}${path}`))).status).toBe(200);
    const problem = await fetch(`${service.url}${path}`);
    expect(problem.headers.get('content-type')).toBe('application/problem+json');
  }
  const dead = await fetch(`${service.url}/session/nothing`, { headers: { accept: html } });
  expect(await dead.text()).toContain('revoked');
  const api = await fetch(`${service.url}/api/v1/nothing`, { headers: { accept: html } });
  expect(api.headers.get('content-type')).toBe('application/problem+json');
});

it('the root leads browsers to the list, whose sign-in says where keys are', async () => {
  const { service } = await started();
  const list = await fetch(service.url, { headers: { accept: html } });
  expect([list.url, list.status]).toEqual([`${service.url}/runs`, 401]);
  expect(await list.text()).toContain('Keys are in the vault.');
  expect((await fetch(service.url)).status).toBe(404);
});

it('a session page hides what the bot and the service use for themselves, and says what an active run did so far', async () => {
  const message = { type: 'text', text: 'Waiting 25 seconds.' };
  const says = JSON.stringify({ sessionUpdate: 'agent_message_chunk', content: message });
  const environments = [shellEnvironment(`echo '${says}'; sleep 60`)];
  const service = await startRunsService({ environments });
  const metadata = {
    slack_team: 'T0SECRET1',
    slack_user: 'U0SECRET1',
    request_id: 'T0SECRET1-V1',
    ticket: 'SHOP-12',
  };
  const id = await service.begin({ prompt: 'wait', metadata });
  const run = await service.until(id, 'INPROGRESS');
  const page = async () => (await fetch(run.session_link ?? '')).text();
  await expect.poll(page).toMatch(/<h2>Latest message<\/h2>.*Waiting 25 seconds\./);
  const text = await page();
  expect(text).not.toContain('<h2>Answer</h2>');
  expect(text).toContain('SHOP-12');
  expect(text).not.toMatch(/T0SECRET1|U0SECRET1|request_id|<dt>Command|\/bin\/sh/);
});
