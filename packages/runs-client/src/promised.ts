import type { ApiCall } from './http/api-calls.ts';

/** The same calls, as functions that return plain promises. Parts that only await them ask for these. */
export type Promised<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (...args: infer Args) => ApiCall<infer Answer>
    ? (...args: Args) => Promise<Answer>
    : Calls[Name];
};
