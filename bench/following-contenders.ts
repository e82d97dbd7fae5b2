/** The contenders, each in its own process: the bot without Slack, and a loop of GETs with the public SDK. */

import { createLogger } from 'base/logger';
import OzAPI from 'oz-agent-sdk';
import { createRunsClient } from 'runs-client';
import { RunsApiError } from 'runs-client/runs-api-error';
import { Follower } from '../src/following/follower.ts';
import { createRequestFiles } from '../src/following/steps/attach-files.ts';
import { createAttribution } from '../src/following/steps/attribute-run.ts';
import { createOutboxWorker } from '../src/outbox/outbox-worker.ts';
import type { PostKind } from '../src/outbox/post-kind.ts';
import { createSlackBudget } from '../src/slack/posting/slack-budget.ts';
import { createStore } from '../src/store/store.ts';
import { openCountedSqlite } from '../test/support/database/counted-sqlite.ts';
import { runIdOf } from './changing-runs.ts';
import { tell, tellUsage } from './following-child.ts';

/** Stands for a service without events. */
// biome-ignore lint/correctness/useYield: a stream that has nothing
async function* noEvents() {
  throw new RunsApiError({ code: 'not_found', message: 'no events' });
}

/** Reports an update when it would be handed to the Slack client. */
export async function follow(
  file: string,
  baseUrl: string,
  pace: string,
  mode: string,
): Promise<void> {
  const opened = await openCountedSqlite(file);
  const { db } = opened;
  const counted = Object.assign(opened.counted, { calls: 0 });
  const budget = createSlackBudget();
  const logger = createLogger('error');
  const unexpected = () => {
    throw new Error('not expected');
  };
  const runMessage: PostKind = {
    async open({ id: requestId, request }) {
      const note = request?.run?.status_message?.message ?? '';
      return {
        post: unexpected,
        find: unexpected,
        findCopies: unexpected,
        instead: [],
        kept: {
          shown: note,
          waitMs: async (kind) =>
            pace === "Slack's pace"
              ? budget.take({ kind, channelId: 'C1', requestId, priority: 'usual' })
              : 0,
          update: async () => {
            tell({ note, at: Date.now() });
            return { outcome: 'shown' };
          },
          whenCurrent: async () => ({ outcome: 'planned', dueAt: null }),
          moveReplies: unexpected,
        },
      };
    },
  };
  const outbox = createOutboxWorker({
    store: createStore(db).posting,
    of: () => ({ kinds: { 'run-message': runMessage }, remove: unexpected }),
    nowMs: () => Date.now(),
    wakeFollower: () => follower.wake(),
    logger,
  });
  const count = () => {
    counted.calls += 1;
  };
  const { runs } = createRunsClient({
    baseUrl,
    apiKey: 'key',
    logger: { debug: count, warn: () => undefined },
  });
  const follower = new Follower({
    store: createStore(db).following,
    runsOf: async () => (mode === 'events' ? runs : { ...runs, events: noEvents }),
    files: createRequestFiles(
      async () => ({ attachments: [], notes: [], canPass: false }),
      async () => undefined,
    ),
    attribution: createAttribution(),
    caps: { isCounted: async () => false, findSpent: async () => undefined },
    wakeOutbox: () => outbox.wake(),
    logger,
  });
  tellUsage(counted);
  outbox.start();
  follower.start();
  tell({ hasBegun: true });
}

/** Gets every run, 32 at a time, in a loop, and reports changes since the last round. */
export async function loopOfGets(baseUrl: string, count: number): Promise<void> {
  const client = new OzAPI({ baseURL: baseUrl, apiKey: 'key' });
  const known = new Map<string, string>();
  tellUsage();
  for (let round = 0; ; round += 1) {
    let next = 0;
    const look = async () => {
      while (next < count) {
        const id = runIdOf(next);
        next += 1;
        const note = (await client.agent.runs.retrieve(id)).status_message?.message ?? '';
        if (known.get(id) !== note && round > 0) tell({ note, at: Date.now() });
        known.set(id, note);
      }
    };
    await Promise.all(Array.from({ length: 32 }, look));
    if (round === 0) tell({ hasBegun: true });
  }
}
