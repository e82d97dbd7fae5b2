import { createLogger } from 'base/logger';
import { createLocalWorkspace } from 'slack-stand-in';
import { parseManifest } from 'slack-stand-in/manifest';
import { expect, it, onTestFinished } from 'vitest';
import { readAppScopes } from '../../src/config/app-scopes.ts';
import { checkSlack } from '../../src/doctor/slack-checks.ts';
import { manifestSource } from '../support/product/manifest-source.ts';

it("an organization's token needs a workspace that has the app", async () => {
  const workspace = createLocalWorkspace({
    manifest: parseManifest(manifestSource),
    moreTeams: 1,
    inOrganization: 1,
    forOrganization: true,
    logger: createLogger('silent'),
  });
  await workspace.start();
  onTestFinished(() => workspace.stop());
  const { botToken, appToken, apiUrl } = workspace;
  const slack = { botToken, apiUrl, delivery: { mode: 'socket', appToken } } as const;
  const check = () =>
    checkSlack({ slack, publicUrl: undefined, scopes: readAppScopes(false), now: Date.now });
  expect((await check()).findings).toMatchObject([{ problem: 'no-workspaces' }]);
  await workspace.giveTeams('E07STARSHIP', ['T06TEAM0001']);
  expect(await check()).toEqual({ findings: [], teamId: undefined });
});
