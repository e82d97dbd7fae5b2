/** Something that whoever operates the program can mend: the message alone says what happened and what to do. */
export class ExplainedError extends Error {
  override name = 'ExplainedError';
}
