import { WebClient } from '@slack/web-api';
import type { OutboxDeps } from '../../src/outbox/outbox-deps.ts';
import type { PostKind } from '../../src/outbox/post-kind.ts';
import { createNotifiedReader } from '../../src/slack/run-message/notices/notified-people.ts';
import { createNoticePlanner } from '../../src/slack/run-message/plan-posts.ts';
import type { Db } from '../../src/store/schema.ts';
import { createStore } from '../../src/store/store.ts';
import { noPolicies } from '../support/posting/no-policies.ts';

export type HeldMethod = 'post' | 'find' | 'update' | 'reply' | 'remove' | 'findDuplicates';
type Kind = 'run message' | 'reply';
type Hold = (act: () => void) => Promise<'answered' | 'answer lost'>;

const later = (isUndone?: true) => ({
  outcome: 'later' as const,
  reason: 'busy',
  retryAfterMs: 0,
  isUndone,
});

/**
 * Creates a Slack in memory. A test can hold calls before they take effect, like a slow network, or after, so that the
 * caller doesn't get the answer.
 */
export function createHeldSlack() {
  const holds = new Map<HeldMethod, { isBefore: boolean; pass: Hold }>();
  const failures = new Map<HeldMethod, { times: number; isUndone: true | undefined }>();
  let all: { kind: Kind; ts: string; shown: string }[] = [];
  let clock = 1;
  const standing = (kind: Kind) => all.filter((each) => each.kind === kind).map(({ ts }) => ts);

  async function call<T>(method: HeldMethod, act: () => T): Promise<T | ReturnType<typeof later>> {
    const failure = failures.get(method);
    if (failure && failure.times > 0) {
      failure.times -= 1;
      return later(failure.isUndone);
    }
    const hold = holds.get(method);
    holds.delete(method);
    const passed = hold?.isBefore ? await hold.pass(act) : 'answered';
    const done = act();
    if (passed === 'answer lost') return later();
    if (hold && !hold.isBefore) await hold.pass(() => undefined);
    return done;
  }

  function hold(method: HeldMethod, isBefore: boolean) {
    let land = () => {};
    let goOn: (how: 'answered' | 'answer lost') => void = () => {};
    const reached = new Promise<void>((tell) => {
      const pass: Hold = (act) => {
        land = act;
        tell();
        return new Promise((resolve) => {
          goOn = resolve;
        });
      };
      holds.set(method, { isBefore, pass });
    });
    return {
      reached,
      goOn: () => goOn('answered'),
      /** The call takes effect, but the caller gets an error without details. */
      goOnLost: () => goOn('answer lost'),
      /** The call takes effect, but its caller was killed and gets no answer. */
      landAndDie: () => land(),
    };
  }

  const put = (kind: Kind, message: object) => {
    const ts = `${++clock}.000100`;
    all.push({ kind, ts, shown: JSON.stringify(message) });
    return { outcome: 'posted' as const, place: { channelId: 'C1', ts } };
  };
  const find = (kind: Kind) => {
    const [ts] = standing(kind);
    return ts === undefined
      ? { outcome: 'absent' as const }
      : { outcome: 'posted' as const, place: { channelId: 'C1', ts } };
  };
  const places = (list: readonly string[]) => ({
    outcome: 'found' as const,
    places: list.map((ts) => ({ channelId: 'C1', ts })),
  });

  const runMessage = (db: Db): PostKind => ({
    async open({ request }) {
      if (!request) return undefined;
      const { step, run } = request;
      const message = { step, state: run?.state };
      return {
        instead: [],
        post: () => call('post', () => put('run message', message)),
        find: () => call('find', () => find('run message')),
        findCopies: () => call('findDuplicates', () => places(standing('run message'))),
        kept: {
          shown: JSON.stringify(message),
          waitMs: async () => 0,
          update: ({ ts }) =>
            call('update', () => {
              all = all.map((each) =>
                each.ts === ts ? { ...each, shown: JSON.stringify(message) } : each,
              );
              return { outcome: 'shown' as const };
            }),
          whenCurrent: (tracked) => planNotices(db)(request, tracked),
          moveReplies: async () => [],
        },
      };
    },
  });
  const reply: PostKind = {
    open: async ({ requestId }) => ({
      instead: [],
      post: () => call('reply', () => put('reply', { of: requestId })),
      find: async () => find('reply'),
      findCopies: async () => places(standing('reply')),
    }),
  };
  const remove: OutboxDeps['remove'] = ({ ts }) =>
    call('remove', () => {
      all = all.filter((each) => each.ts !== ts);
      return { outcome: 'removed' as const };
    });

  return {
    remove,
    kinds: (db: Db) => ({ 'run-message': runMessage(db), end: reply }),
    holdBefore: (method: HeldMethod) => hold(method, true),
    holdAfter: (method: HeldMethod) => hold(method, false),
    fail: (method: HeldMethod, times: number, isUndone?: true) =>
      failures.set(method, { times, isUndone }),
    /** Returns the `ts` of all messages of this kind. */
    standing,
    /** The state that the first run message shows. */
    shown: () => all.find(({ kind }) => kind === 'run message')?.shown,
  };
}

/** Plans notices that always go to the thread. */
function planNotices(db: Db) {
  const { posting, following } = createStore(db);
  return createNoticePlanner({
    client: new WebClient(),
    settings: { readLayers: async () => new Map() },
    outbox: posting.outbox,
    lengths: following.lengths,
    policies: noPolicies,
    readNotified: createNotifiedReader({
      watchers: { list: async () => [] },
      requests: following.requests,
    }),
  });
}
