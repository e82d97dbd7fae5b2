import type { Logger } from 'base/logger';
import type { AppScopes } from '../config/app-scopes.ts';
import type { PolicyFile } from '../policy/policy-file.ts';
import type { Store } from '../store/store.ts';
import { createMcpServerReader } from './configuration/keyed-servers.ts';
import type { OnSlackCall } from './connection/calls/slack-fetch.ts';
import { createPromptClient, createWebClient } from './connection/calls/web-client.ts';
import { createGrantedScopes } from './connection/installations/granted-scopes.ts';
import { fixedToken, type Installations } from './connection/installations/installations.ts';
import { createTokenWatch } from './connection/installations/token-watch.ts';
import { createFileReader } from './files/read-files.ts';
import { installPath } from './installing/install-pages.ts';
import { createActors } from './people/actors.ts';
import { createIdentityReader, createPeople } from './people/people.ts';
import { createPolicies } from './people/policies.ts';
import { createRights } from './people/rights.ts';
import { createUserGroups } from './people/user-groups.ts';
import { createPrivateSender } from './posting/post-privately.ts';
import { createSlackBudget, type SlackBudget, type SpendWrite } from './posting/slack-budget.ts';
import type { SlackClock } from './posting/slack-clock.ts';

export type WorkspaceParts = {
  apiUrl: string;
  installations: Installations;
  /** Those of the manifest. */
  scopes: AppScopes;
  /** With OAuth. */
  publicUrl: string | undefined;
  store: Pick<Store, 'settings' | 'slackWrites'>;
  /** Slack's clock is the same everywhere. */
  clock: SlackClock;
  /** By default, one of its own. */
  budget: SlackBudget | undefined;
  /** Its rules count in place of those that admins set. */
  policyFile: PolicyFile | undefined;
  /** How long an acknowledgement waits for Slack. */
  ackWaitMs: number;
  /** Max time that stored work waits for Slack to say who someone is. Then it's denied. */
  personWaitMs?: number | undefined;
  /** By default, a few seconds. */
  callTimeoutMs: number | undefined;
  /** Whether runs belong to the person who starts them. */
  isOnBehalf: boolean;
  /** Aborts pending calls. */
  stopping: AbortSignal;
  onSlackCall?: OnSlackCall;
  logger: Logger;
};

export type Workspace = ReturnType<typeof createWorkspace>;

const defaultPersonWaitMs = 60_000;

/** What is never shared between workspaces: everything that calls Slack, or remembers what Slack said. */
export function createWorkspace(teamId: string, parts: WorkspaceParts) {
  const { apiUrl, installations, store, clock, stopping, onSlackCall, logger } = parts;
  const tokens = installations.tokensOf(teamId);
  const installUrl = parts.publicUrl && `${parts.publicUrl}${installPath}`;
  const tokenWatch = createTokenWatch(logger, installUrl ? { teamId, installUrl } : undefined);
  const granted = createGrantedScopes({
    scopes: parts.scopes,
    stored: () => installations.recall(teamId)?.scopes,
    logger,
    teamId,
  });
  const untracked = {
    apiUrl,
    clock,
    stopping,
    logger,
    callTimeoutMs: parts.callTimeoutMs,
    ...(onSlackCall && { onSlackCall }),
  };
  const calling = { ...untracked, tokens, watch: tokenWatch, granted };
  const client = createWebClient({ ...calling, teamId });
  const { slackWrites } = store;
  const spend: SpendWrite | undefined =
    slackWrites && ((kind, spentMs) => slackWrites.spend(teamId, kind, spentMs));
  const people = createPeople(client);
  const groups = createUserGroups({ client, granted, teamId, settings: store.settings });
  const policies = createPolicies({ ...store, file: parts.policyFile, groups, client });
  const actors = createActors({ ...store, people, policies, logger });
  const servers = createMcpServerReader(store.settings);
  const { personWaitMs = defaultPersonWaitMs } = parts;
  const patientActors = createActors({
    ...store,
    people,
    policies,
    logger,
    patienceMs: personWaitMs,
  });
  return {
    teamId,
    installations,
    client,
    tokenWatch,
    granted,
    people,
    groups,
    policies,
    rights: createRights({ actors, policies, servers, waitMs: undefined }),
    /** For what Slack waits for: an acknowledgement, or a modal. Without an answer about the person in time, it's refused. */
    promptRights: createRights({ actors, policies, servers, waitMs: parts.ackWaitMs }),
    /** For the inbox, which repeats what fails while Slack can't say who someone is. */
    storedRights: createRights({
      actors: patientActors,
      policies,
      servers,
      waitMs: undefined,
    }),
    /** For a token that isn't the app's, with other scopes. */
    clientWith: (token: string) => createWebClient({ ...untracked, tokens: fixedToken(token) }),
    promptClient: createPromptClient({ ...calling, teamId }),
    sendPrivately: createPrivateSender(client, logger),
    budget: parts.budget ?? createSlackBudget(undefined, spend),
    readIdentity: parts.isOnBehalf ? createIdentityReader(people) : undefined,
    readFiles: createFileReader({ client, tokens, apiUrl }),
    /** Known once a delivery has arrived, or an item of the inbox is handled. */
    botUserId: () => installations.recall(teamId)?.botUserId ?? '',
    botId: () => installations.recall(teamId)?.botId ?? '',
  };
}
