import { WebClient } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import { createSlackBudget } from '../../../../src/slack/posting/slack-budget.ts';
import { createSlackClock } from '../../../../src/slack/posting/slack-clock.ts';
import { createNoticeKinds } from '../../../../src/slack/run-message/notices/notice-kinds.ts';
import { createNotifiedReader } from '../../../../src/slack/run-message/notices/notified-people.ts';
import { createUploadKind } from '../../../../src/slack/run-message/notices/upload-kind.ts';
import type { PostPlace } from '../../../../src/store/outbox/outbox-row.ts';
import { aPost, aRequest, aRun } from '../../../support/builders.ts';

type World = {
  /** Decisions made with "Notify me" and its counterpart, by user ID. */
  choices?: Record<string, boolean>;
  /** People who can see the run, in addition to its creator. */
  seenBy?: string[];
  message?: PostPlace | null;
};

const inChannel = { channelId: 'C1', ts: '1.000100' };

/** Returns the direct messages planned in someone's quiet hours that are still sent afterwards. */
async function sentTo(userId: string, { choices = {}, seenBy = [], message = inChannel }: World) {
  const parts = {
    client: new WebClient(),
    budget: createSlackBudget(),
    clock: createSlackClock(),
    readNames: async () => new Map(),
    readAnswer: async () => 'the answer',
    readFile: async () => undefined,
    apiUrl: 'https://slack.example',
    granted: { has: () => true },
    answers: { find: async () => undefined },
    outbox: { find: async () => aPost({ state: 'posted', place: message }), plan: async () => 0 },
    readNotified: createNotifiedReader({
      watchers: {
        list: async () => Object.entries(choices).map(([id, wants]) => ({ userId: id, wants })),
      },
      requests: {
        findVisible: async (viewer: { userId: string }) =>
          new Set(seenBy.includes(viewer.userId) ? ['T1-V1'] : []),
      },
    }),
  };
  const { end, nudge } = createNoticeKinds(parts);
  const upload = createUploadKind(parts);
  const ended = aRequest({ step: 'ended', run: aRun({ state: 'SUCCEEDED' }) });
  const blocked = aRequest({ run: aRun({ state: 'BLOCKED' }) });
  const direct = { userId, names: [userId], toChannel: false };
  const told = aPost({ kind: 'end', content: { ...direct, round: 'end' }, request: ended });
  const asked = aPost({ kind: 'nudge', content: direct, request: blocked });
  const file = aPost({ kind: 'upload', content: { userId, screenshot: null }, request: ended });
  const opened = { end: end.open(told), nudge: nudge.open(asked), answer: upload.open(file) };
  const sent = [];
  for (const [name, open] of Object.entries(opened)) if (await open) sent.push(name);
  return sent;
}

const all = ['end', 'nudge', 'answer'];

describe('what waits for the end of quiet hours', () => {
  it('reaches the creator, and those who pressed Notify me and still see the run', async () => {
    expect(await sentTo('U1', {})).toEqual(all);
    expect(await sentTo('U-here', { choices: { 'U-here': true }, seenBy: ['U-here'] })).toEqual(
      all,
    );
  });

  it("isn't sent to people who don't want it any more", async () => {
    expect(await sentTo('U1', { choices: { U1: false } })).toEqual([]);
    expect(await sentTo('U-here', { choices: { 'U-here': false }, seenBy: ['U-here'] })).toEqual(
      [],
    );
  });

  it("isn't sent to people who left the conversation", async () => {
    expect(await sentTo('U-left', { choices: { 'U-left': true } })).toEqual([]);
  });

  it('tells the creator of an end that no run message shows, whatever they chose', async () => {
    expect(await sentTo('U1', { choices: { U1: false }, message: null })).toContain('end');
  });
});
