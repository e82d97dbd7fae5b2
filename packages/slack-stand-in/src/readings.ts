import type { AppManifest } from './manifest.ts';

/** Readings of Slack's documentation where it's silent. DIFFERENCES.md explains them. */
export type ReadingOptions = {
  /**
   * Direct messages with the app are threads, as in Slack's surface for agents: a first message names itself as its
   * thread, and ephemeral messages aren't kept. By default, if the app is an agent.
   */
  directThreads?: boolean;
  /** Keeps guests out of an app that's an agent. By default they reach it, so that the app itself must turn them away. */
  guestsAreOut?: boolean;
  /** Only the token that came with a workflow step may end it. By default, the app's own token may too. */
  needsStepToken?: boolean;
  /** Lifetime of that token, in ms; 15 minutes by default. */
  stepTokenMs?: number;
};

export type Readings = Required<ReadingOptions>;

/** Live: slackapi/bolt-python#1075. */
const slackStepTokenMs = 15 * 60_000;

export function chooseReadings(options: ReadingOptions, { features }: AppManifest): Readings {
  const isAgent = features.agent_view !== undefined;
  const { needsStepToken = false, stepTokenMs = slackStepTokenMs } = options;
  return {
    directThreads: options.directThreads ?? isAgent,
    guestsAreOut: options.guestsAreOut === true && isAgent,
    needsStepToken,
    stepTokenMs,
  };
}
