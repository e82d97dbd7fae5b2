import type { StoredModelCall } from '../store/model-calls.ts';
import { type ProviderProblem, problemText } from './provider-problems.ts';

/** Says which problem with a provider the last call of a run had. Returns undefined if it had none. */
export function problemOfCalls(calls: readonly StoredModelCall[]): string | undefined {
  const ended = calls.filter(({ ended_at: at }) => at !== null);
  const last = ended.toSorted((a, b) => (a.ended_at ?? 0) - (b.ended_at ?? 0)).at(-1);
  const problem = last && problemOfCall(last);
  return last && problem && problemText(last.provider, problem);
}

/** Returns the problem of a call, or undefined if its provider answered. */
export function problemOfCall({
  outcome,
  status,
}: Pick<StoredModelCall, 'outcome' | 'status'>): ProviderProblem | undefined {
  if (outcome === 'cut' || outcome === 'unreachable') return { kind: outcome };
  if (outcome === 'provider_error' && status !== null) return { kind: 'status', status };
  return undefined;
}
