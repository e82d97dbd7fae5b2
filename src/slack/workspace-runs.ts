import type { Logger } from 'base/logger';
import type { Inbox } from '../inbox/inbox.ts';
import type { StartLimits } from '../store/requests/accept-request.ts';
import type { Store } from '../store/store.ts';
import type { Connect } from './configuration/connect.ts';
import type { RunCatalog } from './configuration/run-catalog.ts';
import { createRunConnections } from './configuration/run-connections.ts';
import { noteDenials } from './people/noted-denials.ts';
import { createPostCheck } from './posting/channel-checks.ts';
import { createPrivatePoster } from './posting/post-privately.ts';
import {
  createMessageLinkReader,
  createPermalinkReader,
  createReactor,
  createSourceMarker,
} from './posting/source-message.ts';
import { createLimitDescriber } from './runs/acting/run-limits.ts';
import { createRunStarter } from './runs/acting/run-start.ts';
import { createContextTexts } from './runs/reading/context-texts.ts';
import { createOwnRuns } from './runs/reading/own-runs.ts';
import { createMessageReader, createThreadReader } from './runs/reading/read-thread.ts';
import { createRunAccess } from './runs/reading/run-access.ts';
import { createRunOfMessageReader } from './runs/reading/run-of-message.ts';
import type { Workspace } from './workspace.ts';

type WorkspaceRunsDeps = {
  workspace: Workspace;
  inbox: Inbox;
  store: Pick<Store, 'requests' | 'settings' | 'keys' | 'outbox' | 'audit'>;
  connect: Connect;
  catalogOf(connectionId: string): RunCatalog;
  /** Returns true if several workspaces use the operator's connection. */
  isShared(): boolean;
  limits: StartLimits;
  /** Max time that an acknowledgement waits for Slack's API or the runs API, in ms. */
  ackWaitMs: number;
  noteConversation: Parameters<typeof createRunStarter>[0]['noteConversation'];
  wake(): void;
  logger: Logger;
};

export type WorkspaceRuns = ReturnType<typeof createWorkspaceRuns>;

/** Creates the functions with which features check rights, start runs and read runs in one workspace. */
export function createWorkspaceRuns({
  workspace,
  inbox,
  store,
  connect,
  catalogOf,
  isShared,
  limits,
  ackWaitMs,
  noteConversation,
  wake,
  logger,
}: WorkspaceRunsDeps) {
  const { teamId, client, granted, budget, botId, botUserId, people } = workspace;
  const { requests, settings, keys, outbox, audit } = store;

  const rights = noteDenials(workspace.rights, audit);
  const promptRights = noteDenials(workspace.promptRights, audit);
  const storedRights = noteDenials(workspace.storedRights, audit);

  const connections = createRunConnections({ keys, settings, catalogOf, teamId });
  const readOwnRuns = createOwnRuns({ connect, requests, teamId, isShared });
  const access = createRunAccess({ requests, readOwnRuns, connections, rights, promptRights });
  const storedAccess = createRunAccess({
    requests,
    readOwnRuns,
    connections,
    rights: storedRights,
    promptRights,
  });

  const describeLimits = createLimitDescriber({
    client,
    readNames: people.readNames,
    groups: workspace.groups,
    waitMs: ackWaitMs,
  });
  const startRun = createRunStarter({
    connections,
    requests,
    limits,
    rights,
    promptRights,
    budget,
    granted,
    describeLimits,
    wake,
    noteConversation,
  });
  const startStoredRun = createRunStarter({
    connections,
    requests,
    limits,
    rights: storedRights,
    promptRights,
    budget,
    granted,
    describeLimits,
    wake,
    noteConversation,
  });

  const react = createReactor(client);
  const readPermalink = createPermalinkReader(client);
  const texts = createContextTexts({ teamId, botId, botUserId, requests });

  return {
    connections,
    readOwnRuns,

    /** Rights for clicks. Denials are recorded in the audit log. */
    rights,
    /** Rights for requests that Slack waits for, such as submitted forms. */
    promptRights,
    /** Rights for items of the inbox. */
    storedRights,

    access,
    /** Access to runs for items of the inbox. */
    storedAccess,

    startRun,
    /** Starts runs for items of the inbox. */
    startStoredRun,
    describeLimits,

    checkPosting: createPostCheck({ client, granted }, ackWaitMs),
    postPrivately: createPrivatePoster({ inbox, client, logger }),
    react,
    markSource: createSourceMarker(react),
    readPermalink,
    readMessageLink: createMessageLinkReader(readPermalink, outbox, ackWaitMs),
    texts,
    readThread: createThreadReader(client, people.readNames, texts),
    readMessage: createMessageReader(client),
    /** Reads a message, and throws temporary failures. */
    findMessage: createMessageReader(client, { isPatient: true }),
    readRunOfMessage: createRunOfMessageReader({ client, requests }),
  };
}
