import type { Logger } from 'base/logger';
import type { Inbox } from '../inbox/inbox.ts';
import type { StartLimits } from '../store/requests/accept-request.ts';
import type { Store } from '../store/store.ts';
import { registerStop } from './agent-session/register-stop.ts';
import { registerChanges } from './changes/register-changes.ts';
import type { Connect } from './configuration/connect.ts';
import type { Listeners } from './connection/deliveries/listeners.ts';
import type { Afterwards } from './connection/running-work.ts';
import { registerLinkUnfurl } from './link-unfurl/register-link-unfurl.ts';
import { createRunLinks } from './link-unfurl/run-links.ts';
import { registerPlan } from './plan/register-plan.ts';
import { createMessageRemover } from './posting/post-message.ts';
import { registerPullRequest } from './pull-request/register-pull-request.ts';
import { registerQuestion } from './question/register-question.ts';
import { registerRunDetails } from './run-details/register-run-details.ts';
import { createRetry, registerRunMessage } from './run-message/register-run-message.ts';
import { registerStrayMessages } from './run-message/stray-messages.ts';
import { registerSessionLink } from './session-link/register-session-link.ts';
import type { registerForms } from './start-features.ts';
import type { Workspace } from './workspace.ts';
import type { WorkspaceRuns } from './workspace-runs.ts';

type RunDeps = {
  workspace: Workspace;
  inbox: Inbox;
  store: Pick<Store, 'requests' | 'answers' | 'audit' | 'outbox' | 'feedback' | 'watchers'>;
  runs: WorkspaceRuns;
  connect: Connect;
  limits: StartLimits;
  forms: ReturnType<typeof registerForms>;
  makeRecurring: Parameters<typeof registerRunMessage>[1]['makeRecurring'];
  afterwards: Afterwards;
  wake(): void;
  logger: Logger;
};

/** Registers the buttons of run messages, and the modals that they open. */
export function registerRunMessages(listeners: Listeners, deps: RunDeps) {
  const { workspace, inbox, store, runs, connect, wake } = deps;
  const { teamId, client, sendPrivately } = workspace;
  const { requests, answers, audit, outbox, feedback, watchers } = store;
  const { access, storedAccess, rights, describeLimits, postPrivately } = runs;
  const { openDetails, redrawDetails } = registerRunDetails(listeners, { access, feedback });
  registerRunMessage(listeners, {
    requests,
    watchers,
    outbox,
    feedback,
    access,
    tryAgain: createRetry({
      requests,
      rights,
      limits: deps.limits,
      describeLimits,
      audit,
      wake,
    }),
    details: { openDetails, redrawDetails },
    repeats: deps.forms.repeats,
    makeRecurring: deps.makeRecurring,
    wake,
  });
  registerStrayMessages(listeners, {
    outbox,
    remove: createMessageRemover(client),
    afterwards: deps.afterwards,
    logger: deps.logger,
  });
  registerChanges(listeners, { access, connect });
  registerPlan(listeners, { access, connect });
  registerQuestion(listeners, { answers, outbox, access, wake });
  registerPullRequest(listeners, { requests, access, redrawDetails, wake });
  registerStop(listeners, {
    inbox,
    requests,
    outbox,
    access: storedAccess,
    postPrivately,
    teamId,
    wake,
  });
  registerSessionLink(listeners, { requests, connect, access, audit, inbox, sendPrivately, wake });
  return { openDetails };
}

type LinkDeps = {
  workspace: Workspace;
  store: Pick<Store, 'requests' | 'outbox' | 'deliveries'>;
  runs: WorkspaceRuns;
  unfurlDomains: readonly string[];
  logger: Logger;
};

/** Registers links to runs, which Slack shows as cards. */
export function registerRunLinks(
  listeners: Listeners,
  { workspace, store, runs, unfurlDomains, logger }: LinkDeps,
): void {
  const { client, people } = workspace;
  const { requests, outbox, deliveries } = store;
  const { readOwnRuns, connections, rights } = runs;
  registerLinkUnfurl(listeners, {
    runLinks: createRunLinks({ requests, readOwnRuns, connections, unfurlDomains }),
    deliveries,
    people,
    rights,
    outbox,
    client,
    logger,
  });
}
