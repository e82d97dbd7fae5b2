import type { Network, WireAnswer } from './network.ts';
import type { Scheduler } from './scheduler.ts';
import { callMethod } from './slack-methods.ts';
import {
  type Json,
  type SlackMessage,
  type SlackView,
  slackUrl,
  type Workspace,
  workspaceOf,
  workspaces,
} from './slack-world.ts';

export type SlackModel = ReturnType<typeof createSlackModel>;

/** The workspace of a call's token, and the time of the call. */
type Caller = { us: Workspace | undefined; sentMs: number };

/** Time in ms that Slack lets the app open a form after a click. */
const triggerMs = 3_000;

/** Simulates Slack for the bot: conversations with messages, people, and the methods that the bot calls. */
export function createSlackModel(scheduler: Scheduler, { isOutside = false } = {}) {
  const messages: SlackMessage[] = [];
  const views: SlackView[] = [];
  const statuses: { thread: string; status: string }[] = [];
  const sent: { atMs: number; line: string; method: string; channel: string }[] = [];
  const triggers = new Map<string, { userId: string; atMs: number }>();
  const unknownMethods = new Set<string>();
  /** Calls about a workspace's channel with another workspace's token. */
  const intrusions: string[] = [];
  let posted = 0;

  function nextTs(): string {
    posted += 1;
    const seconds = Math.floor(scheduler.nowMs / 1_000);
    return `${seconds}.${String(posted).padStart(6, '0')}`;
  }

  const model = {
    isOutside,
    messages,
    views,
    statuses,
    sent,
    unknownMethods,
    intrusions,
    nextTs,

    write(message: Pick<SlackMessage, 'channel' | 'userId' | 'text'> & Partial<SlackMessage>) {
      const { text, blocks = [] } = message;
      const versions = [{ atMs: scheduler.sinceStartMs, text, json: JSON.stringify(blocks) }];
      const written: SlackMessage = {
        ts: nextTs(),
        threadTs: undefined,
        blocks: [],
        metadata: undefined,
        isDeleted: false,
        visibleTo: undefined,
        versions,
        sentMs: undefined,
        deletedMs: undefined,
        ...message,
      };
      messages.push(written);
      return written;
    },

    noteVersion({ text, blocks, versions }: SlackMessage): void {
      versions.push({ atMs: scheduler.sinceStartMs, text, json: JSON.stringify(blocks) });
    },

    noteDeleted(message: SlackMessage): void {
      message.deletedMs = scheduler.sinceStartMs;
    },

    /**
     * Notes a call.
     * @returns its time
     */
    noteCall(method: string, channel: string, us: Workspace | undefined): number {
      const { sinceStartMs: atMs, current } = scheduler;
      sent.push({ atMs, line: `${current?.name} ${us?.team}`, method, channel });
      const theirs = workspaceOf(channel);
      if (us && theirs && theirs !== us) intrusions.push(`${us.team}: ${method} in ${channel}`);
      return atMs;
    },

    find: (channel: unknown, ts: unknown) =>
      messages.find((each) => each.channel === channel && each.ts === ts && !each.isDeleted),

    /** Notes an act that lets the app open one form. */
    allowForm(triggerId: string, userId: string): void {
      triggers.set(triggerId, { userId, atMs: scheduler.sinceStartMs });
    },

    open(triggerId: string, view: Json): SlackView | string {
      const trigger = triggers.get(triggerId);
      if (!trigger) return 'invalid_trigger_id';
      if (scheduler.sinceStartMs - trigger.atMs > triggerMs) return 'expired_trigger_id';
      if (model.viewOf(triggerId)) return 'exchanged_trigger_id';
      const id = `V${views.length + 1}`;
      const opened = { id, hash: '1', triggerId, userId: trigger.userId, view, isOpen: true };
      views.push(opened);
      return opened;
    },

    viewOf: (triggerId: string) => views.find((each) => each.triggerId === triggerId),
    findView: (id: unknown) => views.find((each) => each.id === id && each.isOpen),

    replaceView(opened: SlackView, view: Json): void {
      opened.view = view;
      opened.hash = String(Number(opened.hash) + 1);
    },

    answer(method: string, given: Json, by: Caller): WireAnswer {
      const result = callMethod(model, method, given, by);
      if (!result) unknownMethods.add(method);
      const date = new Date(Math.floor(scheduler.nowMs)).toUTCString();
      return {
        status: 200,
        headers: { date, 'content-type': 'application/json' },
        body: JSON.stringify({ ok: true, ...(result ?? { ok: false, error: 'unknown_method' }) }),
      };
    },
  };
  return model;
}

/** Returns the workspace of a call's token. */
function workspaceOfToken(headers: RequestInit['headers']): Workspace | undefined {
  const sent = (headers instanceof Headers ? headers : new Headers(headers)).get('authorization');
  return workspaces.find(({ bot }) => sent === `Bearer ${bot.token}`);
}

/** Creates the bots' `fetch`, for calls of the Web API and for answers to clicks. */
export function createSlackFetch(model: SlackModel, network: Network): typeof fetch {
  return (input, init) =>
    new Promise((resolve, reject) => {
      const { signal, body } = init ?? {};
      const method = String(input).replace(slackUrl, '');
      const us = workspaceOfToken(init?.headers);
      const given = readForm(String(body ?? ''));
      let isOver = false;
      const end = (settle: () => void) => {
        if (isOver) return;
        isOver = true;
        signal?.removeEventListener('abort', abort);
        settle();
      };
      const abort = () => end(() => reject(signal?.reason));
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort);
      const { channel, ts, thread_ts: thread, text, status } = given;
      const words = [channel, ts ?? thread, status, text].filter(Boolean).map(String);
      const by = { us, sentMs: model.noteCall(method, String(channel ?? ''), us) };
      network.send({
        target: `slack ${method}`,
        about: words.join(' ').replaceAll('\n', ' ').slice(0, 80),
        apply: () => model.answer(method, given, by),
        answered: (answer) => end(() => resolve(responseOf(answer))),
        lost: () => end(() => reject(new TypeError('fetch failed'))),
      });
    });
}

/** Creates a response with only the members that the app reads. */
function responseOf({ status, headers, body }: WireAnswer): Response {
  const arrayBuffer = async () => new TextEncoder().encode(body).buffer;
  const read = { status, statusText: '', headers: new Headers(headers), arrayBuffer };
  return read as Response;
}

/** Reads Slack's form fields, with objects as JSON. Answers to clicks are JSON as a whole. */
function readForm(body: string): Json {
  if (body.startsWith('{')) return JSON.parse(body);
  return Object.fromEntries(
    [...new URLSearchParams(body)].map(([name, value]) => [
      name,
      /^[[{]/.test(value) ? JSON.parse(value) : value,
    ]),
  );
}
