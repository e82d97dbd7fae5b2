import { type WebAPICallResult, WebClient } from '@slack/web-api';

/** Answers to calls of the Web API, by method name. */
type Answers = Record<string, (call: Record<string, unknown>) => unknown>;

/** A client that makes no calls. Each method returns the answer that the test sets. */
export class AnsweringClient extends WebClient {
  readonly #answers: Answers;

  constructor(answers: Answers) {
    super();
    this.#answers = answers;
  }

  override async apiCall(
    method: string,
    call: Record<string, unknown> = {},
  ): Promise<WebAPICallResult> {
    const answer = await this.#answers[method]?.(call);
    return { ok: true, ...Object(answer) };
  }
}
