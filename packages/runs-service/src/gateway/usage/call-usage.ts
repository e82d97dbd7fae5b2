/** Tokens of one model call, as the provider reported them, in the same form for all APIs. */
export type CallUsage = {
  /** All input tokens, including those that were read from a cache or written to it. */
  input: number;
  cacheRead: number;
  /** Tokens that were written to a cache for five minutes, and for an hour. */
  cacheWrite: number;
  cacheWriteHour: number;
  /** All output tokens, including reasoning. */
  output: number;
  reasoning: number;
  /** Number of searches that the provider ran and charges for. */
  webSearches: number;
};

/** Everything that a response said about its cost. A member is undefined if the response didn't say it. */
export type ReadUsage = {
  usage: CallUsage | undefined;
  /** True if the response ended with its final usage. Otherwise, the call was cut, and the usage is incomplete. */
  isFinal: boolean;
  /** Model that served the call. */
  model: string | undefined;
  /** Service tier that served the call, such as `priority`, and `speed` or region if they change the price. */
  tier: string | undefined;
  /** Number of bytes of output text so far, to estimate the output of a cut call. */
  outputBytes: number;
};

/** Reads the usage of one response while its bytes pass through. It never keeps more than 64 KiB. */
export type UsageReader = {
  push(chunk: Buffer): void;
  read(): ReadUsage;
};
