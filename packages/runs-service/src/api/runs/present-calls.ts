import { dollars } from '../../gateway/caps/cap-sentences.ts';
import { problemOfCall } from '../../gateway/problem-of-calls.ts';
import { problemText } from '../../gateway/provider-problems.ts';
import type { StoredModelCall } from '../../store/model-calls.ts';

/** Model call of a run, in words for people. */
type PresentedCall = {
  startedAt: string;
  model: string;
  /** Number of tokens, such as "1,200 in, 90 out". Empty if the provider didn't report it. */
  tokens: string;
  cost: string;
  result: string;
  isProblem: boolean;
};

export type PresentedCalls = {
  /** The newest calls, oldest of them first. */
  newest: PresentedCall[];
  count: number;
  cost: string;
};

const maxCalls = 300;

const count = (tokens: number | null) => (tokens ?? 0).toLocaleString('en-US');

const results: Record<string, string> = {
  completed: 'Completed',
  canceled: 'Ended by the agent',
  lost: 'Lost, because the runs service stopped',
};

export function presentCalls(calls: readonly StoredModelCall[]): PresentedCalls {
  const micros = calls.reduce((sum, { price_micros: price }) => sum + (price ?? 0), 0);
  return {
    newest: calls.slice(-maxCalls).map(presentCall),
    count: calls.length,
    cost: dollars(micros),
  };
}

function presentCall(call: StoredModelCall): PresentedCall {
  const problem = problemOfCall(call);
  const { price_micros: price, input_tokens: input, output_tokens: output } = call;
  const isEstimated = call.estimated === 1 || call.price_entry === 'unpriced';
  const tokens = output === null ? count(input) : `${count(input)} in, ${count(output)} out`;
  return {
    startedAt: new Date(call.started_at).toISOString(),
    model: call.served_model ?? call.model,
    tokens: input === null && output === null ? '' : tokens,
    cost: price === null ? '' : `${dollars(price)}${isEstimated ? ' (estimated)' : ''}`,
    result: problem ? problemText(call.provider, problem) : resultOf(call),
    isProblem: problem !== undefined,
  };
}

function resultOf({ api, outcome }: StoredModelCall): string {
  if (api === 'reported') return 'Reported by the agent program';
  return results[outcome ?? ''] ?? 'In progress';
}
