import { WebAPIPlatformError } from '@slack/web-api';
import { createLogger } from 'base/logger';
import { expect, it, onTestFinished } from 'vitest';
import { createScopeChecks } from '../../../../src/slack/connection/installations/granted-scopes.ts';

it('calls Slack once in every workspace, also after one that removed the app', async () => {
  const called: string[] = [];
  const checks = createScopeChecks({
    servedTeams: async () => ['T1', 'T2', 'T3'],
    async callIn(teamId) {
      called.push(teamId);
      if (teamId === 'T2') throw new WebAPIPlatformError({ ok: false, error: 'account_inactive' });
    },
    logger: createLogger('silent'),
  });
  onTestFinished(() => checks.stop());
  checks.start();
  await expect.poll(() => called).toEqual(['T1', 'T2', 'T3']);
  checks.wake();
  await expect.poll(() => called).toHaveLength(6);
});
