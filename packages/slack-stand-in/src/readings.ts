import type { AppManifest } from './manifest.ts';

/** Options for behavior that Slack's documentation doesn't define. DIFFERENCES.md explains them. */
export type ReadingOptions = {
  /**
   * Shows direct messages with the app as threads, as in Slack's surface for agents. Each message outside a thread
   * starts a thread, and ephemeral messages aren't kept. Default: true if the app is an agent.
   */
  directThreads?: boolean;
  /**
   * Keeps guests out of an app that's an agent. By default guests can reach it, so that the app itself must turn them
   * away.
   */
  guestsAreOut?: boolean;
  /**
   * Accepts only the token that came with a workflow step to end the step. By default, the app's own token works too.
   */
  needsStepToken?: boolean;
  /** Lifetime of a workflow step's token, in ms; 15 minutes by default. */
  stepTokenMs?: number;
};

export type Readings = Required<ReadingOptions>;

/** Lifetime of a step's token in Slack, as observed in slackapi/bolt-python#1075. */
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
