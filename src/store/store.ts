import { isPostgres } from 'base/database/clock';
import { createAudit } from './audit/audit.ts';
import { createAutomations } from './automations/automations.ts';
import { createFiringQueue } from './automations/firing-queue.ts';
import { createFiringRemoval } from './automations/firing-removal.ts';
import { createFirings } from './automations/firings.ts';
import { createScheduleQueue } from './automations/schedule-queue.ts';
import { createConnectionChanges } from './connection-changes.ts';
import { createConnectionKeys } from './connection-keys.ts';
import { createDatabaseOwner } from './database-owner.ts';
import { createConnections } from './following/connections.ts';
import { createFollowedRunsStore } from './following/followed-runs.ts';
import { createRunLengths } from './following/run-lengths.ts';
import { createDeliveries } from './inbox/deliveries.ts';
import { createInboxItems } from './inbox/inbox-items.ts';
import { createInstallationStore } from './installations.ts';
import { createDigests } from './outbox/digests.ts';
import { createMessagePosts } from './outbox/message-posts.ts';
import { createOutbox } from './outbox/outbox.ts';
import { createOutboxLeases } from './outbox/outbox-leases.ts';
import { createSlackWrites } from './outbox/slack-writes.ts';
import { createConversations } from './people/conversations.ts';
import { createDrafts } from './people/drafts.ts';
import { createHomeViews } from './people/home-views.ts';
import { createSettings } from './people/settings.ts';
import { createWorkspaceRemoval } from './people/workspace-data.ts';
import { createAnswers } from './requests/answers.ts';
import { createRequestLeases } from './requests/request-leases.ts';
import { createRequestList } from './requests/request-list.ts';
import { createRequestRemoval } from './requests/request-removal.ts';
import { createRequestWatchers } from './requests/request-watchers.ts';
import { createRequests } from './requests/requests.ts';
import { createRunFeedback } from './requests/run-feedback.ts';
import { createSpending } from './requests/spending.ts';
import type { Db } from './schema.ts';

export type Store = ReturnType<typeof createStore>;

/**
 * Creates the store of everything that the bot keeps.
 * @param prompt the same database for work that a person waits for; see `openForRequests`
 */
export function createStore(db: Db, prompt: Db = db) {
  return {
    // Stores for work that a person waits for, with short time limits.
    requests: createRequests(prompt),
    watchers: createRequestWatchers(prompt),
    feedback: createRunFeedback(prompt),
    spending: createSpending(prompt),
    answers: createAnswers(prompt),
    outbox: createOutbox(prompt),
    settings: createSettings(prompt),
    audit: createAudit(prompt),
    automations: createAutomations(prompt),
    firings: createFirings(prompt),
    drafts: createDrafts(prompt),
    inbox: createInboxItems(prompt),
    deliveries: createDeliveries(prompt),
    owner: createDatabaseOwner(prompt),
    installations: createInstallationStore(prompt),
    keys: { ...createConnectionKeys(prompt), ...createConnectionChanges(prompt) },

    // Stores for the Home tab, digests and deletion.
    list: createRequestList(db),
    views: createHomeViews(db),
    conversations: createConversations(db),
    digests: createDigests(db),
    removal: createRequestRemoval(db),
    workspaceRemoval: createWorkspaceRemoval(db),
    firingRemoval: createFiringRemoval(db),

    following: {
      requests: createRequests(db),
      leases: createRequestLeases(db),
      connections: createConnections(db),
      followedOf: (connectionId: string) => createFollowedRunsStore(db, connectionId),
      lengths: createRunLengths(db),
      answers: createAnswers(db),
    },

    /** Store for the webhook and retention. */
    auditing: createAudit(db),

    automating: { firings: createFiringQueue(db), schedules: createScheduleQueue(db) },

    posting: {
      leases: createOutboxLeases(db),
      outbox: createOutbox(db),
      messages: createMessagePosts(db),
    },

    /** Counter of writes to Slack by all replicas. Undefined with SQLite, which has only one replica. */
    slackWrites: isPostgres(db) ? createSlackWrites(db) : undefined,
  };
}
