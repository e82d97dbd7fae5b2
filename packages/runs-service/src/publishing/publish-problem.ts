/** Reason why changes can't be published. The message gives advice. */
export class PublishProblem extends Error {
  override name = 'PublishProblem';
  /** True if it may work later without anyone's help. */
  readonly mayPass: boolean;
  readonly retryAfterMs: number;

  constructor(
    message: string,
    more: { mayPass?: boolean; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.mayPass = more.mayPass ?? false;
    this.retryAfterMs = more.retryAfterMs ?? 0;
  }
}
