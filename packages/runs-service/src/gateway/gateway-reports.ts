import type { ModelProvider } from '../environments/models-config.ts';
import type { CallOutcome } from '../store/call-outcome.ts';
import type { CallUsage } from './usage/call-usage.ts';

/** Functions that the gateway calls to keep its metrics up to date. */
export type GatewayReports = {
  onCall(call: {
    provider: string;
    model: string;
    micros: number;
    usage: CallUsage | undefined;
    outcome: CallOutcome;
  }): void;
  /** Called when a call is sent to its provider, with the time that the gateway needed until then. */
  onSent(addedMs: number): void;
  onRejected(code: string): void;
};

/**
 * Returns the name of a model in metrics. It's a name that the operator or the price list knows, because agents could send
 * any number of other names.
 */
export function knownModel(
  { allowed = [], prices = {} }: ModelProvider,
  model: string,
  priceEntry: string | undefined,
): string {
  if (allowed.includes(model) || Object.hasOwn(prices, model)) return model;
  return priceEntry?.includes('/') ? priceEntry.slice(priceEntry.indexOf('/') + 1) : 'other';
}
