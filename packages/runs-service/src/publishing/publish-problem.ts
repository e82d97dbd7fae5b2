/** Reason why changes can't be published. The message gives advice. */
export class PublishProblem extends Error {
  override name = 'PublishProblem';
  /** True if a later attempt can succeed without anyone's help. */
  readonly isTemporary: boolean;
  readonly retryAfterMs: number;

  constructor(
    message: string,
    more: { isTemporary?: boolean; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.isTemporary = more.isTemporary ?? false;
    this.retryAfterMs = more.retryAfterMs ?? 0;
  }
}
