import type { Network, WireAnswer } from './network.ts';
import type { Scheduler } from './scheduler.ts';
import { methods } from './slack-methods.ts';
import { type Json, type SlackMessage, slackUrl } from './slack-world.ts';

export type SlackModel = ReturnType<typeof createSlackModel>;

/** Slack as the bot sees it: conversations with messages, people, and the methods that the bot calls. */
export function createSlackModel(scheduler: Scheduler) {
  const messages: SlackMessage[] = [];
  const statuses: { thread: string; status: string }[] = [];
  const sent: { atMs: number; owner: string; method: string; channel: string }[] = [];
  const unknownMethods = new Set<string>();
  let posted = 0;

  function nextTs(): string {
    posted += 1;
    const seconds = Math.floor(scheduler.nowMs / 1_000);
    return `${seconds}.${String(posted).padStart(6, '0')}`;
  }

  const model = {
    ...{ messages, statuses, sent, unknownMethods, nextTs },

    write(message: Pick<SlackMessage, 'channel' | 'userId' | 'text'> & Partial<SlackMessage>) {
      const { text, blocks = [] } = message;
      const versions = [{ atMs: scheduler.sinceStartMs, text, json: JSON.stringify(blocks) }];
      const written: SlackMessage = {
        ...{ ts: nextTs(), threadTs: undefined, blocks: [], metadata: undefined },
        ...{ isDeleted: false, visibleTo: undefined, versions },
        ...message,
      };
      messages.push(written);
      return written;
    },

    noteVersion({ text, blocks, versions }: SlackMessage): void {
      versions.push({ atMs: scheduler.sinceStartMs, text, json: JSON.stringify(blocks) });
    },

    noteCall(method: string, channel: string): void {
      const { sinceStartMs: atMs, current } = scheduler;
      sent.push({ atMs, owner: current?.name ?? '', method, channel });
    },

    find: (channel: unknown, ts: unknown) =>
      messages.find((each) => each.channel === channel && each.ts === ts && !each.isDeleted),

    answer(method: string, given: Json): WireAnswer {
      const act = methods[method];
      if (!act) unknownMethods.add(method);
      const result = act?.(model, given) ?? { ok: false, error: 'unknown_method' };
      const date = new Date(Math.floor(scheduler.nowMs)).toUTCString();
      return {
        status: 200,
        headers: { date, 'content-type': 'application/json' },
        body: JSON.stringify({ ok: true, ...result }),
      };
    },
  };
  return model;
}

/** `fetch` of the bots: calls of the Web API, and of the addresses for answers to clicks. */
export function createSlackFetch(model: SlackModel, network: Network): typeof fetch {
  return (input, init) =>
    new Promise((resolve, reject) => {
      const { signal, body } = init ?? {};
      const method = String(input).replace(slackUrl, '');
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
      model.noteCall(method, String(channel ?? ''));
      network.send({
        target: `slack ${method}`,
        about: words.join(' ').replaceAll('\n', ' ').slice(0, 80),
        apply: () => model.answer(method, given),
        answered: ({ status: code, headers, body: text }) =>
          end(() => resolve(new Response(text, { status: code, headers }))),
        lost: () => end(() => reject(new TypeError('fetch failed'))),
      });
    });
}

/** Slack's form fields; objects are JSON. Answers to clicks are JSON as a whole. */
function readForm(body: string): Json {
  if (body.startsWith('{')) return JSON.parse(body);
  return Object.fromEntries(
    [...new URLSearchParams(body)].map(([name, value]) => [
      name,
      /^[[{]/.test(value) ? JSON.parse(value) : value,
    ]),
  );
}
