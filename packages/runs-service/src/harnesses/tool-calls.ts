import type { ToolCall } from 'runs-client/contract';
import type { AgentStep } from './steps/agent-step.ts';

const maxCalls = 50;
const maxInputCharacters = 1_200;

type Call = { id?: string; name: string; input: string; startedAt: number } & (
  | { state: 'in_progress' }
  | { state: 'completed' | 'failed'; endedAt: number }
);

/** The newest tool calls of an agent with their times, oldest first. */
export function createToolCalls(now: () => number) {
  let calls: Call[] = [];
  const find = (id: string | undefined) =>
    calls.findLast((call) => (id === undefined ? call.state === 'in_progress' : call.id === id));

  function begin({ id, name, input }: Extract<AgentStep, { kind: 'call' }>): void {
    const shown = {
      name: name.slice(0, maxInputCharacters),
      input: input.slice(0, maxInputCharacters),
    };
    const known = id === undefined ? undefined : find(id);
    if (known) return void Object.assign(known, shown);
    const call: Call = { ...shown, startedAt: now(), state: 'in_progress' };
    calls = [...calls, id === undefined ? call : { ...call, id }].slice(-maxCalls);
  }

  function end(call: Call | undefined, ok: boolean): void {
    if (call?.state !== 'in_progress') return;
    const ended: Call = { ...call, state: ok ? 'completed' : 'failed', endedAt: now() };
    calls = calls.map((each) => (each === call ? ended : each));
  }

  function endAll(ok: boolean): void {
    for (const call of calls) end(call, ok);
  }

  return {
    add(step: AgentStep): void {
      if (step.kind === 'call') begin(step);
      if (step.kind === 'result') end(find(step.id), step.ok);
      if (step.kind === 'end') endAll(step.ok);
    },
    endAll,
    running: (): { name: string; input: string } | undefined =>
      calls.findLast(({ state }) => state === 'in_progress'),

    list: (shorten: (text: string) => string): ToolCall[] =>
      calls.map((call) => ({
        name: shorten(call.name),
        input: shorten(call.input),
        state: call.state,
        started_at: new Date(call.startedAt).toISOString(),
        ...(call.state !== 'in_progress' && {
          run_time: `PT${Math.max(0, call.endedAt - call.startedAt) / 1000}S`,
        }),
      })),
  };
}
