/** Why changes can't be published. The message says what to do. */
export class PublishProblem extends Error {
  override name = 'PublishProblem';
  /** Whether it may work later without anyone doing something. */
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
