import { createLogger } from 'base/logger';
import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { Message } from 'slack-stand-in';
import { beforeEach, expect } from 'vitest';
import { useWorkspace } from '../../../packages/slack-stand-in/test/support/use-workspace.ts';
import { createMessageRemover } from '../../../src/slack/posting/post-message.ts';
import { createSlackClock } from '../../../src/slack/posting/slack-clock.ts';
import { createQuestionKind } from '../../../src/slack/question/question-kind.ts';
import { createNoticeKinds } from '../../../src/slack/run-message/notices/notice-kinds.ts';
import { createNotifiedReader } from '../../../src/slack/run-message/notices/notified-people.ts';
import {
  createUploadKind,
  createUploadReader,
} from '../../../src/slack/run-message/notices/upload-kind.ts';
import { createNoticePlanner } from '../../../src/slack/run-message/plan-posts.ts';
import { createRunMessageKind } from '../../../src/slack/run-message/run-message-kind.ts';
import type { NewPost } from '../../../src/store/outbox/outbox-row.ts';
import { createStore } from '../../../src/store/store.ts';
import { aRun } from '../builders.ts';
import { useDatabase } from '../database/databases.ts';
import { createSlackClient } from '../slack-client.ts';
import { attribution, caps, files } from './no-files.ts';
import { noPolicies } from './no-policies.ts';
import { unlimitedBudget } from './unlimited-budget.ts';
import { workThrough } from './work-through.ts';

const channel = 'C04ENGINEER';

const isRead = (call: string) => /^(claim|check|find|has|next|of)/.test(call);

/** Answer and screenshots of the ended run. */
type Results = { answer?: string; screenshots?: string[] };

/** Returns an artifact like a runs service. Its UID selects the kind. */
const getArtifact = async (uid: string) => {
  if (uid === 'gone') throw new RunsApiError({ code: 'not_found', message: 'gone' });
  const content_type = uid === 'page' ? 'text/html' : 'image/png';
  return { data: { content_type, download_url: `https://files.example/${uid}`, description: uid } };
};
const downloadPicture = async (url: string) => ({ bytes: Buffer.from(url) });

/** A local workspace and one request that the test advances step by step. */
export function useRunInSlack() {
  const { startWorkspace } = useWorkspace();
  const database = useDatabase();

  async function forgetAll(): Promise<void> {
    await database().deleteFrom('requests').execute();
    await database().deleteFrom('outbox').execute();
  }
  beforeEach(forgetAll);

  /** Creates one request in the local workspace. In each round, a follower leases it and advances it. */
  async function start(results: Results = {}, options: Parameters<typeof startWorkspace>[0] = {}) {
    const { screenshots = [] } = results;
    const workspace = await startWorkspace(options);
    const client = createSlackClient(workspace);
    const creatorId = workspace.people[0]?.id ?? '';
    const asked = { teamId: 'T1', creatorId, channelId: channel, prompt: 'p', title: 'Count' };
    const store = createStore(database());
    const { requests } = store;
    const accept = () =>
      requests.accept({ id: 'r1', ...asked, config: {}, acceptedAt: Date.now() });
    await accept();
    const artifacts = screenshots.map((uid) => ({
      artifact_type: 'SCREENSHOT',
      data: { artifact_uid: uid },
    }));
    const begun = aRun({ artifacts, updated_at: new Date().toISOString() });
    let run = begun;
    const clock = createSlackClock();
    const logger = createLogger('silent');
    const slack = {
      client,
      clock,
      budget: unlimitedBudget,
      readNames: async () => new Map(),
      readAnswer: async () => results.answer,
      connect: async () => ({ artifacts: { get: getArtifact, download: downloadPicture } }),
      apiUrl: workspace.apiUrl,
      granted: { has: () => true },
      requests,
      watchers: { list: async () => [] },
      settings: { readLayers: async () => new Map() },
      lengths: store.following.lengths,
      answers: store.following.answers,
    };
    const unexpected = () => expect.unreachable('a call of the runs API');
    const runs = {
      create: async () => ({ run_id: run.run_id, state: run.state }),
      get: async () => run,
      serviceNowMs: () => undefined,
      cancel: unexpected,
      findCreated: unexpected,
      publish: unexpected,
      changePullRequest: unexpected,
      answer: unexpected,
      followUp: unexpected,
    };
    /**
     * Works on everything as if it were due.
     * @param posting the outbox's store
     */
    const works = async (posting = store.posting) => {
      const due = { due_at: 1, lease_owner: null, lease_until: 0 };
      await database()
        .updateTable('requests')
        .set({ ...due, next_poll_at: 1 })
        .execute();
      await database().updateTable('outbox').set(due).where('state', '<>', 'done').execute();
      const readNotified = createNotifiedReader(slack);
      const parts = { ...slack, outbox: posting.outbox, readNotified };
      await workThrough({
        following: {
          ...store.following,
          runs,
          files,
          attribution,
          caps,
          logger,
        },
        posting: {
          store: posting,
          kinds: {
            'run-message': createRunMessageKind({
              ...parts,
              planNotices: createNoticePlanner({ ...parts, policies: noPolicies }),
            }),
            ...createNoticeKinds(parts),
            upload: createUploadKind({
              ...parts,
              readFile: createUploadReader(parts.connect, parts.readAnswer),
            }),
            question: createQuestionKind({ ...parts, policies: noPolicies }),
            'agent-session': { open: async () => undefined },
          },
          nowMs: clock.nowMs,
          remove: createMessageRemover(client),
          wakeFollower: () => undefined,
          logger,
        },
      });
    };
    /**
     * Works until the nth write to the store, then stops like a killed process. The record before a call to Slack is
     * still written, other writes are lost.
     */
    const worksUntilKilled = async (nth: number) => {
      let writes = 0;
      let kill = () => {};
      const killed = new Promise<void>((resolve) => {
        kill = resolve;
      });
      const dying = <Part extends object>(part: Part): Part =>
        new Proxy(part, {
          get:
            (target, name) =>
            async (...given: unknown[]) => {
              const call = Reflect.get(target, name) as (...args: unknown[]) => unknown;
              if (!isRead(String(name))) writes += 1;
              const isLast = writes >= nth;
              const done = isLast && name !== 'record' ? undefined : await call.apply(part, given);
              if (!isLast) return done;
              kill();
              return new Promise(() => {});
            },
        });
      const { leases, outbox, messages } = store.posting;
      const mortal = {
        leases: dying(leases),
        outbox: dying(outbox),
        messages: dying(messages),
      };
      await Promise.race([works(mortal), killed]);
      return writes >= nth;
    };
    const all = (): Message[] =>
      workspace.channels
        .flatMap(({ id }) => workspace.messagesIn(id))
        .filter(({ botId }) => botId === workspace.bot.botId);
    return {
      works,
      worksUntilKilled,
      reject: (method: string, error: string) =>
        workspace.faults.inject({ name: 'error_answer', method, error }),
      inject: workspace.faults.inject.bind(workspace.faults),
      stored: () => requests.find('r1'),
      message: () => store.outbox.find('r1'),
      plan: (post: NewPost) => store.outbox.plan([post]),
      posts: () => store.outbox.ofRequest('r1'),
      /** Changes the run, for example for a follow-up that begins. */
      change: (more: Partial<Run>) => {
        run = { ...run, ...more };
      },
      end: () => {
        const { answer } = results;
        const agent_progress = answer === undefined ? {} : { agent_progress: { answer } };
        run = { ...run, state: 'SUCCEEDED', ...agent_progress };
      },
      /** Deletes the request and accepts it again. Its messages stay in Slack. */
      async startAgain() {
        await forgetAll();
        run = begun;
        await accept();
      },
      rejections: () =>
        workspace.traffic
          .recent()
          .filter(({ direction, answer }) => direction === 'call' && Object(answer).ok === false),
      block: (more: Partial<Run> = {}) => {
        run = { ...run, state: 'BLOCKED', ...more };
      },
      /** Threads of all messages, in posting order. */
      threads: () => all().map(({ ts, threadTs }) => ({ ts, below: threadTs })),
      /** Names of the shared files, without their unique suffix. */
      files: () =>
        all().flatMap(({ files = [] }) =>
          files.map(({ name }) => String(name).replace(/-[0-9a-f]{10}/, '')),
        ),
      all,
      /** Posts in order: `here` or `direct`, and the state of a run message or the notification of another one. */
      shown: () =>
        all().map(({ channelId, blocks, text }) => [
          channelId === channel ? 'here' : 'direct',
          blocks?.some(({ type }) => type === 'header')
            ? (/\*([^*]+)\*/.exec(JSON.stringify(blocks))?.[1] ?? '')
            : text.split('\n')[0],
        ]),
    };
  }

  return { start, forgetAll, database };
}
