import { WebClient } from '@slack/web-api';
import { expect, it, vi } from 'vitest';
import type { Inbox, InboxKind } from '../../../src/inbox/inbox.ts';
import { createStuckWorkflowNotes } from '../../../src/slack/workflow-step/complete-step.ts';

it('stops waiting after an hour for a run message that was rejected everywhere', async () => {
  let kind: InboxKind<unknown> | undefined;
  const inbox = {
    register: (_: string, registered: InboxKind<unknown>) => {
      kind = registered;
      return {};
    },
  } as unknown as Pick<Inbox, 'register'>;
  const outbox = { findMessage: async () => undefined };
  createStuckWorkflowNotes({ inbox, client: new WebClient(), outbox });
  const since = (sinceMs: number) =>
    kind?.handle({ requestId: 'r', text: 't', sinceMs }, new AbortController().signal);
  vi.useFakeTimers();
  expect(await since(Date.now() - 60_000)).toEqual({ againAt: Date.now() + 5_000 });
  expect(await since(Date.now() - 61 * 60_000)).toBe('done');
  vi.useRealTimers();
});
