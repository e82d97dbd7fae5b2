import type { App, Receiver } from '@slack/bolt';
import { createLogger } from 'base/logger';
import { createBot } from '../../src/bot/bot.ts';
import { createConnections, reconnectMs } from './connections.ts';
import { encryptionKey } from './initial-rows.ts';
import type { Network } from './network.ts';
import type { Fault } from './plan.ts';
import { createRunsDispatcher } from './runs-dispatcher.ts';
import { type RunsModel, runsKey, runsUrl } from './runs-model.ts';
import type { Owner, Scheduler } from './scheduler.ts';
import type { SharedDatabase } from './shared-database.ts';
import { slackUrl, workspaces } from './slack-world.ts';

type BotDeps = {
  scheduler: Scheduler;
  network: Network;
  runs: RunsModel;
  hasEvents: boolean;
  /** Number of workspaces. With one, the app has its token; with two, it's installed by OAuth. */
  workspaces: number;
  database: Pick<SharedDatabase, 'open'>;
  faults: readonly Fault[];
  log(line: string): void;
  /** Called with each line of a bot's log. */
  onLine(line: string): void;
};

const oauth = {
  clientId: 'simulated',
  clientSecret: 'simulated-client-secret',
  scopes: [],
  publicUrl: 'https://app.test',
};

/** One replica: a bot that is started again after each crash. */
type Replica = { index: number; starts: number; steps: number; skewMs: number; owner?: Owner };

type Disconnect = Extract<Fault, { type: 'disconnect' }>;
type AtStep = Extract<Fault, { atStep: number }>;

/** Creates the bot's replicas. A crash loses everything in a process's memory, and the database stays. */
export function createBots(parts: BotDeps) {
  const { scheduler, faults, log } = parts;
  const connections = createConnections(parts);
  const faultsAtSteps = faults.filter((fault): fault is AtStep => 'atStep' in fault);
  /** Processes that will crash, each with the step after which it does. */
  const doomed = new Map<Owner, { step: number; downMs: number }>();
  const failures: string[] = [];
  const logger = createLogger('info', { write: parts.onLine });
  const owners: Owner[] = [];
  let isCalm = false;

  function start(replica: Replica): void {
    replica.starts += 1;
    const owner: Owner = {
      name: `bot ${replica.index + 1}.${replica.starts}`,
      skewMs: replica.skewMs,
      frozenUntil: 0,
      isDead: false,
      steps: 0,
      afterStep: () => afterStep(replica, owner),
    };
    owners.push(owner);
    replica.owner = owner;
    for (const fault of faults)
      if (fault.type === 'clock' && fault.replica === replica.index)
        scheduler.in(fault.atMs - scheduler.sinceStartMs, owner, () => {
          if (!isCalm) owner.skewMs = replica.skewMs = fault.byMs;
        });
    scheduler.in(1, owner, () => {
      log(`${owner.name} starts`);
      run(owner).catch((error: unknown) => {
        failures.push(`${owner.name} did not start: ${String(error)}`);
      });
    });
  }

  function afterStep(replica: Replica, owner: Owner): void {
    replica.steps += 1;
    if (isCalm) return;
    const doom = doomed.get(owner);
    if (doom && owner.steps >= doom.step) crash(replica, owner, doom.downMs);
    for (const fault of faultsAtSteps) {
      if (fault.atStep !== replica.steps || fault.replica !== replica.index) continue;
      if (fault.type === 'freeze') {
        log(`${owner.name} freezes for ${fault.ms} ms`);
        owner.frozenUntil = scheduler.nowMs + fault.ms;
      } else crash(replica, owner, fault.downMs);
    }
  }

  function crash(replica: Replica, owner: Owner, downMs: number): void {
    if (owner.isDead) return;
    log(`${owner.name} crashes`);
    owner.isDead = true;
    connections.closeAll(owner);
    scheduler.in(downMs, undefined, () => start(replica));
  }

  function disconnect({ owner }: Replica, { connection: nth, silentMs }: Disconnect): void {
    const connection = owner && connections.ofOwner(owner)[nth];
    if (!connection || isCalm) return;
    if (silentMs === undefined) connections.replace(connection, reconnectMs);
    else connections.silence(connection, silentMs);
  }

  function run(owner: Owner): Promise<void> {
    const { database, network, runs } = parts;
    const bot = createBot(
      {
        slack: {
          ...(parts.workspaces > 1 ? { oauth } : { botToken: workspaces[0].bot.token }),
          apiUrl: slackUrl,
          delivery: { mode: 'socket', appToken: 'xapp-simulated' },
        },
        health: undefined,
        runsApi: { baseUrl: runsUrl, apiKey: runsKey, settleMs: 10_000 },
        databaseUrl: 'sqlite::memory:',
        encryptionKeys: { current: encryptionKey, other: undefined },
        logLevel: 'info',
      },
      logger,
      {
        dispatcher: createRunsDispatcher(runs, network, parts),
        openDatabase: async () => database.open(),
        receivers: () => [createReceiver(owner), createReceiver(owner)],
      },
    );
    return bot.start();
  }

  function createReceiver(owner: Owner): Receiver & { isConnected(): boolean } {
    let app: App | undefined;
    return {
      isConnected: () => true,
      init(to) {
        app = to;
      },
      start: () =>
        new Promise<void>((resolve) => {
          scheduler.in(20, owner, () => {
            if (app) connections.open(owner, app);
            log(`${owner.name} is connected`);
            resolve();
          });
        }),
      stop: async () => undefined,
    };
  }

  return {
    connections,
    failures,
    startAll(count: number): void {
      for (let index = 0; index < count; index += 1) {
        const replica: Replica = { index, starts: 0, steps: 0, skewMs: 0 };
        start(replica);
        for (const fault of faults)
          if (fault.type === 'disconnect' && fault.replica === index)
            scheduler.in(fault.atMs, undefined, () => disconnect(replica, fault));
      }
    },
    /** Crashes a process after its next events. */
    crashSoon(owner: Owner, { afterSteps, downMs }: { afterSteps: number; downMs: number }): void {
      doomed.set(owner, { step: owner.steps + afterSteps, downMs });
    },
    calm(): void {
      isCalm = true;
    },
    /** Drops all replicas, of which nothing runs anymore. */
    abandon(): void {
      for (const owner of owners) owner.isDead = true;
    },
  };
}

export type Bots = ReturnType<typeof createBots>;
