import type { Bots } from './bots.ts';
import type { Done } from './people.ts';
import type { Plan } from './plan.ts';
import type { ModelRun, RunsModel } from './runs-model.ts';
import type { SharedDatabase } from './shared-database.ts';
import type { SlackModel } from './slack-model.ts';
import type { SlackMessage } from './slack-world.ts';

/** A broken promise, by the name of its invariant. docs/architecture.md explains the promises. */
export type Finding = { promise: string; about: string };

export type World = {
  plan: Plan;
  slack: SlackModel;
  runs: RunsModel;
  bots: Bots;
  done: Done;
  isIdle: boolean;
  botLines: readonly string[];
  database: SharedDatabase;
};

/** Outcome of a request in the database, at the runs service and in Slack. */
export type Outcome = {
  id: string;
  step: string;
  problem: string | undefined;
  runs: ModelRun[];
  /** Run messages that people can see. */
  messages: SlackMessage[];
  /** Replies about the run's end. */
  ends: SlackMessage[];
};

/** Yields each violation as a text. */
export type Invariant = (world: World, outcomes: readonly Outcome[]) => Iterable<string>;
