import type { Random } from '../random.ts';
import type { Bots } from './bots.ts';
import { type Connection, reconnectMs } from './connections.ts';
import type { Fault } from './plan.ts';
import type { Scheduler } from './scheduler.ts';
import type { Json, Workspace } from './slack-world.ts';

/** Called with the outcome for Slack: the app's answer, or none within three seconds. */
type Delivered = { acknowledged(response: unknown): void; failed(): void };

type DeliveryFault = Extract<Fault, { how: string }>;
const isOfDelivery = (fault: Fault): fault is DeliveryFault => 'how' in fault;

const ackWithinMs = 3_000;
/** Interval in ms at which Slack searches a connection while there is none. */
const pollEveryMs = 250;
/** Delays of Slack's repeats of events, in ms. The last one, after five minutes, is left out. */
const eventRetriesMs = [500, 60_000];

type DeliveryDeps = {
  scheduler: Scheduler;
  random: Random;
  bots: Bots;
  faults: readonly Fault[];
  log(line: string): void;
};

/** Delivers to the app, through any connected replica. */
export function createDeliveries({ scheduler, random, bots, faults, log }: DeliveryDeps) {
  const { connections } = bots;
  let count = 0;
  let clicks = 0;
  let ids = 0;
  let waiting = 0;

  function send(title: string, body: Json, to: Delivered, retry = 0): void {
    const wire = JSON.stringify(body);
    const nth = count;
    const isClick = body['type'] === 'block_actions';
    const fault = faults
      .filter(isOfDelivery)
      .find((each) => (each.type === 'click' ? isClick && each.nth === clicks : each.nth === nth));
    const how = fault?.how;
    count += 1;
    if (isClick) clicks += 1;
    log(`${title} is delivered${how ? ` ⚡ ${how}` : ''}`);
    let isOver = false;
    waiting += 1;
    const settle = () => {
      isOver = true;
      waiting -= 1;
    };
    const timeout = scheduler.in(ackWithinMs, undefined, () => {
      settle();
      log(`${title} isn't acknowledged`);
      to.failed();
    });

    const acknowledged = (response: unknown) => {
      if (isOver) return;
      settle();
      timeout.run = undefined;
      to.acknowledged(response);
    };

    /** Delivers on a connection of any replica. A delivery that a closed one leaves unacknowledged goes to another. */
    const arrive = (delayMs: number, isFirst: boolean) =>
      scheduler.in(delayMs, undefined, () => {
        if (isOver) return;
        const usable = connections.usable();
        const connection = usable[random.below(usable.length)];
        if (!connection) return void arrive(pollEveryMs, isFirst);
        const repeat = () => void arrive(random.between(10, 300), false);
        connection.repeats.add(repeat);
        const ack = async (response?: unknown) => {
          if (!connections.acknowledge(connection)) return;
          if (isFirst && how === 'acknowledgement lost') return;
          connection.repeats.delete(repeat);
          scheduler.in(10, undefined, () => acknowledged(response));
        };
        scheduler.in(1, connection.owner, () => {
          if (connection.state !== 'open') return;
          log(`${connection.owner.name} gets ${title}`);
          const event = { body: JSON.parse(wire), ack };
          const repeated = retry > 0 ? { retryNum: retry, retryReason: 'timeout' } : {};
          connection.app
            .processEvent({ ...event, ...repeated })
            .catch((error: unknown) => log(`${title} failed: ${String(error)}`));
        });
        if (isFirst && fault) strike(fault, connection);
      });
    arrive(how === 'late' ? random.between(2_000, 4_000) : random.between(5, 60), true);
    if (how === 'twice') arrive(random.between(5, 800), false);
  }

  /** Applies a fault to the connection or process that gets a delivery. */
  function strike(fault: DeliveryFault, connection: Connection): void {
    if (fault.how === 'connection closes')
      scheduler.in(random.between(1, 40), undefined, () =>
        connections.replace(connection, reconnectMs),
      );
    if (fault.how === 'receiver crashes') bots.crashSoon(connection.owner, fault);
  }

  return {
    /** Returns true while Slack waits for an answer, or will repeat an event. */
    isWaiting: () => waiting > 0,

    nextId: (prefix: string) => {
      ids += 1;
      return `${prefix}${ids}`;
    },

    command: (title: string, body: Json, to: Delivered) =>
      send(title, { ...base, command: '/agent', ...body }, to),

    click: (title: string, body: Json, to: Delivered) =>
      send(title, { ...base, type: 'block_actions', ...body }, to),

    submit: (title: string, body: Json, to: Delivered) =>
      send(title, { ...base, type: 'view_submission', ...body }, to),

    /** Delivers an event, which Slack itself repeats. */
    event({ team, bot }: Workspace, title: string, event: Json, done = () => {}) {
      const eventId = this.nextId('Ev');
      const authorizations = [{ team_id: team, user_id: bot.userId, is_bot: true }];
      const about = { type: 'event_callback', team_id: team, event_id: eventId, authorizations };
      const attempt = (retry: number) =>
        send(
          title,
          { ...base, ...about, event },
          {
            acknowledged: done,
            failed: () => {
              const againMs = eventRetriesMs[retry];
              if (againMs === undefined) return;
              waiting += 1;
              scheduler.in(againMs, undefined, () => {
                waiting -= 1;
                attempt(retry + 1);
              });
            },
          },
          retry,
        );
      attempt(0);
    },
  };
}

export type Deliveries = ReturnType<typeof createDeliveries>;

const base = { api_app_id: 'A01', token: 'simulated', is_enterprise_install: 'false' };
