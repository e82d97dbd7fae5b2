import { readableLine } from 'base/readable-text';
import { shorten } from 'base/shorten';
import type { AgentProgress, ChangedFiles, ToolCall } from 'runs-client/contract';

import type { AgentStep } from './steps/agent-step.ts';
import { createUsageMeter } from './steps/read-steps.ts';

const maxPlanItems = 50;
const maxTitleCharacters = 300;

type RunProgressOptions = {
  /** Removes secrets and terminal commands from a text, so that it's safe to show. */
  clean: (text: string) => string;
  now?: () => number;
};

/** Creates an object that collects a run's progress from the agent's steps. Long texts and lists are cut. */
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

  /** Returns the current step and the plan, which people see first. */
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
    /** Adds a line of output that isn't an agent's event. */
    print: answer.print,
    /**
     * Returns the agent's last message. Without one, returns the printed text that is marked as the answer, or else the
     * last printed paragraph. Undefined if there is none.
     */
    answer: () => answer.text(clean),
    usage: usage.total,
    setChanges(found: ChangedFiles): void {
      changes = found;
    },
    /** Records that the agent has ended, and ends its unfinished tool calls. */
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

const maxCharacters = 100_000;
/** Max lines of a paragraph that a script prints. */
const maxLines = 20;
const maxLineCharacters = 2_000;
/** Lines that a script can print around its answer. The last answer marked this way replaces the last paragraph. */
const markers = { start: '<answer>', end: '</answer>' };

/**
 * Creates an object that collects the last message of an agent. Text after a tool call, or with another message ID,
 * starts a new message.
 */
function createAnswer() {
  let message = '';
  let messageId: string | undefined;
  let isOpen = false;
  let paragraph: string[] = [];
  let paragraphEnded = false;
  let marked = '';
  let isMarked = false;

  return {
    add(step: AgentStep): void {
      if (step.kind === 'call' || step.kind === 'result' || step.kind === 'end') isOpen = false;
      if (step.kind !== 'text' || step.text === '') return;
      const continues = isOpen && step.part === true && step.id === messageId;
      // Skip a new message that is only white space.
      if (!continues && step.text.trim() === '') return;
      message = (continues ? message + step.text : step.text).slice(0, 2 * maxCharacters);
      messageId = step.id;
      isOpen = step.part === true;
    },

    print(line: string): void {
      const word = line.trim();
      if (word === markers.start || word === markers.end) {
        isMarked = word === markers.start;
        if (isMarked) marked = '';
        return;
      }
      if (isMarked) {
        if (marked.length < maxCharacters) marked += `${line.slice(0, maxCharacters)}\n`;
        return;
      }
      const isBlank = word === '';
      if (isBlank) {
        paragraphEnded = true;
        return;
      }
      if (paragraphEnded) paragraph = [];
      paragraphEnded = false;
      paragraph = [...paragraph, line.slice(0, maxLineCharacters)].slice(-maxLines);
    },

    text(clean: (text: string) => string): string | undefined {
      const words = clean(message || marked || paragraph.join('\n')).trim();
      return words === '' ? undefined : shorten(words, maxCharacters);
    },
  };
}

const maxCalls = 50;
const maxInputCharacters = 1_200;

type Call = { id?: string; name: string; input: string; startedAt: number } & (
  | { state: 'in_progress' }
  | { state: 'completed' | 'failed'; endedAt: number }
);

/** Collects the newest tool calls of an agent with their times, oldest first. */
function createToolCalls(now: () => number) {
  let calls: Call[] = [];
  const find = (id: string | undefined) =>
    calls.findLast((call) => (id === undefined ? call.state === 'in_progress' : call.id === id));

  function begin({ id, name, input }: Extract<AgentStep, { kind: 'call' }>): void {
    const shown = {
      name: name.slice(0, maxInputCharacters),
      input: input.slice(0, maxInputCharacters),
    };
    const existing = id === undefined ? undefined : find(id);
    if (existing) return void Object.assign(existing, shown);
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
