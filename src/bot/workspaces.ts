import { byKey } from 'base/by-key';
import type { BotConfig } from '../config/bot-config.ts';
import { createInstallations } from '../slack/connection/installations/create-installations.ts';
import { createWorkspace, type WorkspaceDeps } from '../slack/workspace.ts';
import type { Store } from '../store/store.ts';
import type { Instead, Reports } from './instead.ts';

type WorkspacesDeps = Pick<
  WorkspaceDeps,
  'scopes' | 'policyFile' | 'clock' | 'ackWaitMs' | 'stopping' | 'logger'
> & { store: Store; reports: Reports; instead: Instead };

/** Returns the app's installations, and a function that creates a workspace when it's first needed. */
export function createWorkspaces({ onBehalfOf, slack }: BotConfig, deps: WorkspacesDeps) {
  const { store, clock, stopping, logger, instead } = deps;
  const installations = createInstallations(slack, {
    owner: store.owner,
    installations: store.installations,
    apiUrl: slack.apiUrl,
    clock,
    stopping,
    logger,
  });
  const workspaceOf = byKey((teamId: string) =>
    createWorkspace(teamId, {
      apiUrl: slack.apiUrl,
      installations,
      scopes: deps.scopes,
      publicUrl: slack.oauth?.publicUrl,
      store,
      clock,
      budget: instead.budget,
      policyFile: deps.policyFile,
      ackWaitMs: deps.ackWaitMs,
      personWaitMs: instead.personWaitMs,
      callTimeoutMs: instead.slackCallTimeoutMs,
      isOnBehalf: onBehalfOf !== undefined,
      stopping,
      onSlackCall: deps.reports.onSlackCall,
      logger,
    }),
  );
  return { installations, workspaceOf };
}
