/** Sends people's acts of the day to the replicas, and measures acknowledgements. */
import { Pool } from 'undici';
import {
  command,
  interaction,
  type Sender,
  type SignedDelivery,
  sign,
  submission,
} from '../ack-deliveries.ts';
import { type Act, actsOf, channels, type Day } from './day.ts';
import { botUserId, type ShownMessage, teamId } from './slack-model.ts';

export type Deed = {
  kind: Act['kind'];
  number: number;
  sentAt: number;
  answeredAt: number;
  /** Status and body of a response other than an empty 200, or the connection error. */
  problem?: string;
};

type PeopleDeps = {
  day: Day;
  ports: readonly number[];
  slackOrigin: string;
  /** Returns the run message of this number, if it exists. */
  messageOf(number: number): ShownMessage | undefined;
};

const connections = 50;
const problemChars = 200;

/** Simulates the day. @returns all acts, in order of their end */
export async function liveThroughTheDay(parts: PeopleDeps): Promise<Deed[]> {
  const { day, ports } = parts;
  const pools = ports.map((port) => new Pool(`http://127.0.0.1:${port}`, { connections }));
  const deeds: Deed[] = [];
  const sending: Promise<void>[] = [];
  const beganAt = Date.now();

  async function send(act: Act, { body, headers }: SignedDelivery): Promise<void> {
    const { kind, number } = act;
    const sentAt = Date.now();
    const pool = pools[sending.length % pools.length];
    const path = '/slack/events';
    const problem = await pool
      ?.request({ path, method: 'POST', body, headers })
      .then(async ({ statusCode, body: answer }) => {
        const said = await answer.text();
        return statusCode === 200 && !said ? undefined : `${statusCode} ${said}`;
      })
      .catch(String);
    const failed = problem && { problem: problem.slice(0, problemChars) };
    deeds.push({ kind, number, sentAt, answeredAt: Date.now(), ...failed });
  }

  for (const act of actsOf(day)) {
    const earlyMs = beganAt + act.atMs - Date.now();
    if (earlyMs > 0) await new Promise((resolve) => setTimeout(resolve, earlyMs));
    const delivery = deliveryOf(act, parts);
    // Skip the act, because its run message doesn't exist yet.
    if (delivery) sending.push(send(act, delivery));
  }
  await Promise.all(sending);
  await Promise.all(pools.map((pool) => pool.close()));
  return deeds;
}

const form = (fields: Record<string, string>) => sign(new URLSearchParams(fields).toString());
const promptOf = (number: number) =>
  `Ticket ${number}: the login test fails about one time in ten. Say why, and fix it. `.repeat(3);

function deliveryOf(act: Act, parts: PeopleDeps): SignedDelivery | undefined {
  const { kind, number } = act;
  const sender = senderOf(number, parts);
  switch (kind) {
    case 'command':
      return form(command(sender, `run ${promptOf(number)}`));
    case 'form':
      return form(command(sender, promptOf(number)));
    case 'submit':
      return form(submission(sender, promptOf(number)));
    case 'cancel':
      return cancelClick(sender, parts.messageOf(number));
    case 'follow-up':
      return threadMention(sender, parts.messageOf(number), number);
    case 'home':
      return event(number, {
        type: 'app_home_opened',
        tab: 'home',
        channel: 'D04BENCH',
        user: senderOf(number * 7, parts).userId,
        event_ts: `${Date.now() / 1_000}`,
      });
  }
}

/** Chooses person and channel. Consecutive numbers get different ones. */
const senderOf = (number: number, { day, slackOrigin }: PeopleDeps): Sender => ({
  userId: `U04P${(number * 7919) % day.people}`,
  channelId: `C04CHANNEL${number % channels}`,
  responseUrl: `${slackOrigin}/response`,
});

function cancelClick({ userId, responseUrl }: Sender, message: ShownMessage | undefined) {
  if (!message) return undefined;
  const { requestId, channelId, ts } = message;
  const click = {
    type: 'block_actions',
    ...interaction(userId),
    container: { type: 'message', message_ts: ts, channel_id: channelId, is_ephemeral: false },
    channel: { id: channelId, name: 'general' },
    message: { type: 'message', ts, text: '', bot_id: 'B1' },
    state: { values: {} },
    response_url: responseUrl,
    actions: [{ type: 'button', action_id: 'run:cancel', block_id: 'b', value: requestId }],
  };
  return form({ payload: JSON.stringify(click) });
}

function threadMention({ userId }: Sender, message: ShownMessage | undefined, number: number) {
  if (!message) return undefined;
  const ts = `${Math.floor(Date.now() / 1_000)}.9${String(number).padStart(5, '0')}`;
  return event(number, {
    type: 'app_mention',
    user: userId,
    channel: message.channelId,
    ts,
    thread_ts: message.ts,
    event_ts: ts,
    text: `<@${botUserId}> Look at the clock of the test machine too.`,
  });
}

let events = 0;
function event(number: number, content: object): SignedDelivery {
  events += 1;
  const body = {
    type: 'event_callback',
    token: 'token',
    team_id: teamId,
    api_app_id: 'A04BENCH',
    event_id: `Ev${process.pid}X${number}X${events}`,
    event: content,
    event_time: Math.floor(Date.now() / 1_000),
    authorizations: [{ team_id: teamId, user_id: botUserId, is_bot: true }],
  };
  return sign(JSON.stringify(body), 'json');
}
