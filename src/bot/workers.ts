import { byKey } from 'base/by-key';
import type { Logger } from 'base/logger';
import { createFiringWorker } from '../automations/firing-worker.ts';
import type { AutomationPlace } from '../automations/port.ts';
import { createScheduleWorker } from '../automations/schedule-worker.ts';
import type { ConnectionClients } from '../following/connection-clients.ts';
import { Follower } from '../following/follower.ts';
import { createRequestFiles } from '../following/steps/attach-files.ts';
import { createAttribution } from '../following/steps/attribute-run.ts';
import { createCapCheck } from '../following/steps/check-caps.ts';
import { createOutboxWorker } from '../outbox/outbox-worker.ts';
import { createConnect } from '../slack/configuration/connect.ts';
import type { SlackClock } from '../slack/posting/slack-clock.ts';
import { createPosts } from '../slack/posts.ts';
import { createAnswerReader } from '../slack/runs/reading/whole-answer.ts';
import type { Workspace } from '../slack/workspace.ts';
import type { Store } from '../store/store.ts';
import type { Reports } from './instead.ts';

type WorkerDeps = {
  store: Store;
  clients: ConnectionClients;
  workspaceOf: (teamId: string) => Workspace;
  automationPlaceOf: (teamId: string) => Promise<AutomationPlace>;
  clock: SlackClock;
  apiUrl: string;
  reports: Reports;
  logger: Logger;
};

/** Creates the workers that continue after an acknowledgement. They start, create and follow runs, and post messages. */
export function createWorkers(deps: WorkerDeps) {
  const { store, clients, workspaceOf, clock, apiUrl, reports, logger } = deps;
  const connect = createConnect(clients);
  const readAnswer = createAnswerReader(connect);
  const posting = { store, clock, apiUrl, connect, readAnswer, logger };
  const outbox = createOutboxWorker({
    store: store.posting,
    of: byKey((teamId) => createPosts(workspaceOf(teamId), posting)),
    nowMs: clock.nowMs,
    wakeFollower: () => follower.wake(),
    reports,
    logger,
  });
  const follower = new Follower({
    store: store.following,
    runsOf: async (connectionId) => (await clients.of(connectionId))?.runs,
    files: createRequestFiles(
      (teamId, ...asked) => workspaceOf(teamId).readFiles(...asked),
      store.firings.bodyOf,
    ),
    attribution: createAttribution(async ({ teamId, creatorId }) =>
      workspaceOf(teamId).readIdentity?.(creatorId),
    ),
    caps: createCapCheck({
      spending: store.spending,
      membersOf: (teamId, groupId) => workspaceOf(teamId).groups.membersOf(groupId),
    }),
    wakeOutbox: () => outbox.wake(),
    reports,
    logger,
  });
  const automations = createAutomationWorkers(deps);
  const wake = () => {
    follower.wake();
    outbox.wake();
    automations.wake();
  };
  return { connect, outbox, follower, automations, wake };
}

/** Creates the workers that start the runs of automations. */
function createAutomationWorkers({ store, automationPlaceOf, reports, logger }: WorkerDeps) {
  const firings = createFiringWorker({
    queue: store.automating.firings,
    placeOf: automationPlaceOf,
    reports,
    logger,
  });
  const schedules = createScheduleWorker({
    queue: store.automating.schedules,
    wakeFirings: () => firings.wake(),
    reports,
    logger,
  });
  return {
    start() {
      firings.start();
      schedules.start();
    },
    stop: async () => void (await Promise.all([firings.stop(), schedules.stop()])),
    wake() {
      firings.wake();
      schedules.wake();
    },
  };
}
