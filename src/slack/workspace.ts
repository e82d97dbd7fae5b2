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

export type WorkspaceDeps = {
  apiUrl: string;
  installations: Installations;
  /** Scopes that the manifest requests. */
  scopes: AppScopes;
  /** Address of the install pages. Undefined without OAuth. */
  publicUrl: string | undefined;
  store: Pick<Store, 'settings' | 'slackWrites'>;
  /** Clock of Slack's time. All workspaces share one, because Slack's time is the same everywhere. */
  clock: SlackClock;
  /** Budget for Slack's rate limits. Undefined creates a separate one for this workspace. */
  budget: SlackBudget | undefined;
  /** Policy file, whose rules replace those that admins set. */
  policyFile: PolicyFile | undefined;
  /** Max time that an acknowledgement waits for Slack, in ms. */
  ackWaitMs: number;
  /**
   * Max time that an inbox item waits for Slack to describe a person, in ms. After that, the person's action is denied.
   */
  personWaitMs?: number | undefined;
  /** Timeout of each call to Slack, in ms. Undefined uses the client's few seconds. */
  callTimeoutMs: number | undefined;
  /** True if runs belong to the person who starts them. */
  isOnBehalf: boolean;
  /** Aborts pending calls when the bot stops. */
  stopping: AbortSignal;
  onSlackCall?: OnSlackCall | undefined;
  logger: Logger;
};

export type Workspace = ReturnType<typeof createWorkspace>;

const defaultPersonWaitMs = 60_000;

/** Creates everything that calls Slack, or remembers Slack's answers, in one workspace. Workspaces share none of it. */
export function createWorkspace(teamId: string, deps: WorkspaceDeps) {
  const { apiUrl, installations, clock, stopping, callTimeoutMs, onSlackCall, logger } = deps;
  const { settings, slackWrites } = deps.store;
  const tokens = installations.tokensOf(teamId);
  const installUrl = deps.publicUrl && `${deps.publicUrl}${installPath}`;
  const tokenWatch = createTokenWatch(logger, installUrl ? { teamId, installUrl } : undefined);
  const granted = createGrantedScopes({
    scopes: deps.scopes,
    stored: () => installations.recall(teamId)?.scopes,
    logger,
    teamId,
  });
  const calling = {
    teamId,
    tokens,
    watch: tokenWatch,
    granted,
    apiUrl,
    clock,
    stopping,
    callTimeoutMs,
    ...(onSlackCall && { onSlackCall }),
    logger,
  };
  const client = createWebClient(calling);
  const people = createPeople(client);
  const groups = createUserGroups({ client, granted, teamId, settings });
  const policies = createPolicies({ settings, file: deps.policyFile, groups, client });
  const actors = createActors({ people, policies, settings, logger });
  const servers = createMcpServerReader(settings);
  const patientActors = createActors({
    people,
    policies,
    settings,
    logger,
    patienceMs: deps.personWaitMs ?? defaultPersonWaitMs,
  });
  const spend: SpendWrite | undefined =
    slackWrites && ((kind, spentMs) => slackWrites.spend(teamId, kind, spentMs));
  return {
    teamId,
    installations,
    client,
    promptClient: createPromptClient(calling),
    /** Creates a client for a token with other scopes than the app's. */
    clientWith: (token: string) =>
      createWebClient({
        tokens: fixedToken(token),
        apiUrl,
        clock,
        stopping,
        callTimeoutMs,
        ...(onSlackCall && { onSlackCall }),
        logger,
      }),
    tokenWatch,
    granted,
    people,
    groups,
    policies,
    rights: createRights({ actors, policies, servers, waitMs: undefined }),
    /**
     * Rights for requests that Slack waits for, such as submitted forms. People whom Slack doesn't describe in time are
     * denied.
     */
    promptRights: createRights({ actors, policies, servers, waitMs: deps.ackWaitMs }),
    /** Rights for items of the inbox, which tries again while Slack can't describe a person. */
    storedRights: createRights({ actors: patientActors, policies, servers, waitMs: undefined }),
    sendPrivately: createPrivateSender(client, logger),
    budget: deps.budget ?? createSlackBudget(undefined, spend),
    readIdentity: deps.isOnBehalf ? createIdentityReader(people) : undefined,
    readFiles: createFileReader({ client, tokens, apiUrl }),
    /** Returns the ID of the app's user. It's empty until the installation is loaded, which happens before any work. */
    botUserId: () => installations.recall(teamId)?.botUserId ?? '',
    botId: () => installations.recall(teamId)?.botId ?? '',
  };
}
