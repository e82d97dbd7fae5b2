/** A model of Slack's Web API in its own process: it counts calls, enforces Slack's limits, and notes what messages show. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createSlackLimits } from './slack-limits.ts';

export const teamId = 'T04BENCH';
export const botUserId = 'U0BOT';

/** A run message with its shown states, each with its time in epoch ms. */
export type ShownMessage = {
  requestId: string;
  number: number;
  channelId: string;
  ts: string;
  postedAt: number;
  shown: { word: string; at: number }[];
};
/** `busiest` has the calls in the busiest hour of the compressed day. `allowed` is per minute, for posts in one channel. */
export type MethodCalls = { calls: number; busiest: number; limited: number; allowed: number };
/** A text for a person that isn't a run message: an answer to a command or click, a private message, or a reply. */
export type Told = { number: number; words: string };
export type SlackReport = {
  messages: ShownMessage[];
  told: Told[];
  methods: Record<string, MethodCalls>;
};
/** Messages from the model to its parent: its origin, each new run message, and a report on request. */
export type FromSlack = { origin?: string; posted?: ShownMessage; report?: SlackReport };

type Fields = Record<string, string>;

const hourMs = 3_600_000;
const toldChars = 300;

/** Answers until the parent process disconnects. */
export function serveSlack(factor: number): void {
  const limits = createSlackLimits(factor);
  const methods = new Map<string, { limited: number; hours: number[] }>();
  const beganAt = Date.now();
  const messages = new Map<string, ShownMessage>();
  const tell = (told: FromSlack) => void process.send?.(told);
  const told: Told[] = [];
  let made = 0;

  function post({ channel = '', text: words = '', metadata = '{}' }: Fields) {
    made += 1;
    const ts = `${Math.floor(Date.now() / 1_000)}.${String(made).padStart(6, '0')}`;
    const { event_type: type, event_payload: payload } = JSON.parse(metadata);
    if (type === 'slash_agent_run') {
      const at = Date.now();
      const message: ShownMessage = {
        requestId: payload.request_id,
        number: numberIn(words),
        channelId: channel,
        ts,
        postedAt: at,
        shown: [{ word: wordOf(words), at }],
      };
      messages.set(ts, message);
      tell({ posted: message });
    } else told.push({ number: numberIn(words), words: words.slice(0, toldChars) });
    return { channel, ts };
  }

  function update({ channel = '', ts = '', text: words = '' }: Fields) {
    const shown = messages.get(ts)?.shown;
    if (shown && shown.at(-1)?.word !== wordOf(words))
      shown.push({ word: wordOf(words), at: Date.now() });
    return { channel, ts };
  }

  function answer(method: string, fields: Fields): object {
    const { user = '', channel = '' } = fields;
    switch (method) {
      case 'auth.test':
        return { team_id: teamId, team: 'Bench', bot_id: 'B1', user_id: botUserId };
      case 'users.info':
        return { user: { id: user, team_id: teamId, name: 'robin', tz: 'America/New_York' } };
      case 'conversations.info':
        return { channel: { id: channel, is_channel: true, is_private: false, is_member: true } };
      case 'users.conversations':
        return { channels: [{ id: 'C04CHANNEL0' }] };
      case 'conversations.open':
        return { channel: { id: `D${fields['users']}` } };
      case 'views.open':
      case 'views.update':
      case 'views.publish':
        made += 1;
        return { view: { id: `V${made}`, hash: `hash-${made}` } };
      case 'chat.postMessage':
      case 'chat.postEphemeral':
        return post(fields);
      case 'chat.update':
        return update(fields);
      default:
        return { messages: [] };
    }
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const method = /^\/api\/([a-zA-Z.]+)$/.exec(request.url ?? '')?.[1];
    if (!method) {
      // Accept answers to a `response_url` without a limit, because Slack's limit doesn't matter here.
      const words = String(JSON.parse(body).text).slice(0, toldChars);
      told.push({ number: numberIn(words), words });
      return void response.writeHead(200).end('ok');
    }
    const fields = Object.fromEntries(new URLSearchParams(body));
    const counted = methods.get(method) ?? { limited: 0, hours: [] };
    methods.set(method, counted);
    const hour = Math.floor(((Date.now() - beganAt) * factor) / hourMs);
    counted.hours[hour] = (counted.hours[hour] ?? 0) + 1;
    const isOver = !limits.take(method, fields['channel'] ?? '');
    if (isOver) counted.limited += 1;
    response.writeHead(isOver ? 429 : 200, {
      'content-type': 'application/json',
      ...(isOver && { 'retry-after': '1' }),
    });
    const answered = isOver
      ? { ok: false, error: 'ratelimited' }
      : { ok: true, ...answer(method, fields) };
    response.end(JSON.stringify(answered));
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      process.stderr.write(`The model of Slack failed: ${error}\n`);
      response.writeHead(500).end();
    });
  });
  server.listen(0, '127.0.0.1', () =>
    tell({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
  );
  process.on('message', () => {
    const counted = [...methods].map(([method, { limited, hours }]) => {
      const all = Object.values(hours);
      const calls = all.reduce((sum, each) => sum + each, 0);
      const allowed = limits.perMinute(method);
      return [method, { calls, busiest: Math.max(...all), limited, allowed }] as const;
    });
    const report = { messages: [...messages.values()], told };
    tell({ report: { ...report, methods: Object.fromEntries(counted) } });
  });
}

/** Reads the number that a prompt contains. */
const numberIn = (words: string) => Number(/Ticket (\d+)/.exec(words)?.[1] ?? -1);
/** Reads the state at the start of a run message's notification text. */
const wordOf = (words: string) => words.slice(0, Math.max(0, words.indexOf(':')));
