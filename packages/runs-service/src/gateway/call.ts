import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ModelProvider } from '../environments/models-config.ts';
import type { CallOutcome } from '../store/call-outcome.ts';
import type { EarlyStream } from './early-stream.ts';
import { type Rejection, reject, rejectionInStream } from './rejections.ts';
import type { CallRoute } from './routes.ts';
import type { RunAccess } from './run-access.ts';
import type { UsageReader } from './usage/call-usage.ts';

/** One call of an agent, from its request to the end of the response. */
export type Call = {
  id: string;
  access: RunAccess;
  provider: ModelProvider;
  route: CallRoute;
  request: IncomingMessage;
  response: ServerResponse;
  /** Time when the request arrived, by `performance.now`. */
  arrivedAt: number;
  /** Aborts when the agent disconnects, or the run's access ends. */
  signal: AbortSignal;
};

/** A call whose body was read and checked. */
export type CheckedCall = Call & {
  model: string;
  isStream: boolean;
  requestBytes: number;
  /** Limit of the request on output tokens. */
  maxOutputTokens: number | undefined;
  key: string | undefined;
  early: EarlyStream;
};

/** Facts about a call that was sent to its provider. */
export type SentCall = {
  outcome: CallOutcome;
  /** HTTP status that the agent got. 499 if it had disconnected. */
  status: number;
  /** False if the call certainly costs nothing. */
  isBilled: boolean;
  reader: UsageReader | undefined;
  /** Time between sending the call and its end, in ms. */
  durationMs: number;
  firstByteAt: number | undefined;
  responseBytes: number;
  upstreamId: string | undefined;
};

/**
 * Ends a call with a rejection, in the form that fits the state of its response. A stream that has begun is cut if the
 * agent should send the call again.
 */
export function rejectCall(
  {
    response,
    provider,
    route,
    early,
  }: Pick<CheckedCall, 'response' | 'provider' | 'route' | 'early'>,
  rejection: Rejection,
): void {
  early.stop();
  if (!response.headersSent) reject(response, provider.api, rejection);
  else if (rejection.status >= 500 || rejection.status === 429) response.destroy();
  else response.end(rejectionInStream(route.flavor, rejection));
}
