import type { JsonObject } from '../lib/json.ts';

/** Error in a Web API response with status 200: `{ok: false, error: code, …details}`. */
export class ApiError extends Error {
  readonly code: string;
  readonly details: JsonObject;

  constructor(code: string, details: JsonObject = {}) {
    super(code);
    this.name = 'ApiError';
    this.code = code;
    this.details = details;
  }
}

/** Creates the error for wrong arguments. Messages are in Slack's wording and can end in a JSON pointer. */
export function invalidArguments(messages: readonly string[]): ApiError {
  return new ApiError('invalid_arguments', { response_metadata: { messages } });
}
