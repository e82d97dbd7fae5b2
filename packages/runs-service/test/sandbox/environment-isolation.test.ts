import { expect, it } from 'vitest';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';

type Listed = { environments: { problem?: string; config: object }[] };

it('an environment without bubblewrap is rejected with what to do, before and at its runs', async () => {
  const { request, begin, until } = await startRunsService({
    environments: [shellEnvironment('true', { isolation: 'bubblewrap' })],
    path: temporaryFolder(),
  });
  const says = '"bwrap" isn\'t installed on the runs service\'s machine';
  const listed = (await (await request('/agent/environments')).json()) as Listed;
  expect(listed.environments[0]?.problem).toContain(says);
  const { status_message: status } = await until(await begin({ prompt: 'x' }), 'FAILED');
  expect(status?.error_code).toBe('environment_setup_failed');
  expect(status?.message).toContain(says);
  expect(status?.message).toContain('Install the package "bubblewrap"');
});

it('an environment without a sandbox says so in the list and on the session page', async () => {
  const { request, begin, until } = await startRunsService({
    environments: [shellEnvironment('true', { description: 'Site.' })],
  });
  const warning = 'Agents run without a sandbox';
  const { environments } = (await (await request('/agent/environments')).json()) as Listed;
  expect(environments[0]?.config).toMatchObject({
    isolation: 'none',
    warning: expect.stringContaining(warning),
    description: expect.stringContaining(`Site. ${warning}`),
  });
  const run = await until(await begin({ prompt: 'x' }), 'SUCCEEDED');
  expect(await (await fetch(run.session_link ?? '')).text()).toContain(warning);
});
