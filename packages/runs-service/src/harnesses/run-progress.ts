import { readableLine } from 'base/readable-text';
import { shorten } from 'base/shorten';
import type { AgentProgress, ChangedFiles } from 'runs-client/contract';
import { createAnswer } from './answer.ts';
import type { AgentStep } from './steps/agent-step.ts';
import { createUsageMeter } from './steps/read-steps.ts';
import { createToolCalls } from './tool-calls.ts';

const maxPlanItems = 50;
const maxTitleCharacters = 300;

export type RunProgressOptions = {
  /** Makes a text safe to show: without secrets and commands to a terminal. */
  clean: (text: string) => string;
  now?: () => number;
};

/** What a run's agent has reported so far: the sum of its steps. Hostile sizes are cut. */
export function createRunProgress({ clean, now = Date.now }: RunProgressOptions) {
  const answer = createAnswer();
  const calls = createToolCalls(now);
  const usage = createUsageMeter();
  let plan: { title: string; state: string }[] = [];
  let changes: ChangedFiles | undefined;
  let hasEnded = false;
  const line = (text: string) => shorten(readableLine(clean(text)), maxTitleCharacters);

  function add(step: AgentStep): void {
    usage.add(step);
    answer.add(step);
    calls.add(step);
    if (step.kind === 'plan')
      plan = step.items
        .slice(0, maxPlanItems)
        .map(({ title, state }) => ({ title: line(title), state }));
  }

  /** What says at a glance how far the agent is. */
  function headline(): Pick<AgentProgress, 'step' | 'plan'> {
    const running = calls.running();
    const step = running
      ? `${running.name} ${running.input}`
      : plan.find(({ state }) => state === 'in_progress' && !hasEnded)?.title;
    return {
      ...(step !== undefined && { step: line(step) }),
      ...(plan.length > 0 && { plan }),
    };
  }

  return {
    add,
    /** A line that isn't an event. */
    print: answer.print,
    /** The last message, or else the last paragraph that was printed; undefined if there is neither. */
    answer: () => answer.text(clean),
    usage: usage.total,
    setChanges(found: ChangedFiles): void {
      changes = found;
    },
    /** The agent stopped. What still seems to run doesn't. */
    end(ok: boolean): void {
      calls.endAll(ok);
      hasEnded = true;
    },

    headline,

    read(): AgentProgress {
      const words = answer.text(clean);
      const toolCalls = calls.list(line);
      return {
        ...(words !== undefined && { answer: words }),
        ...headline(),
        ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
        ...(changes && { changes }),
      };
    },
  };
}
export type RunProgress = ReturnType<typeof createRunProgress>;
