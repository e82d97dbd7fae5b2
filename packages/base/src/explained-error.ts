/** A problem that the operator can fix. The message says what happened and what to do; no stack trace is printed. */
export class ExplainedError extends Error {
  override name = 'ExplainedError';
}
