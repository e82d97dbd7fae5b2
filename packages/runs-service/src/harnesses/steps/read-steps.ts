import { parseJson } from 'base/parse-json';
import { acpEvent } from './acp-steps.ts';
import type { AgentStep, AgentUsage } from './agent-step.ts';
import { claudeEvent } from './claude-steps.ts';
import { codexEvent } from './codex-steps.ts';
import { geminiEvent } from './gemini-steps.ts';
import { opencodeEvent } from './opencode-steps.ts';

const harnessEvents = [claudeEvent, codexEvent, geminiEvent, opencodeEvent, acpEvent];

/**
 * Reads the steps in a line of output. Undefined if it isn't an event of a known harness. Events are recognized by
 * their shape, because the environment's command can be a wrapper around a harness.
 */
export function readSteps(line: string): AgentStep[] | undefined {
  if (!line.startsWith('{')) return undefined;
  const event = parseJson(line);
  for (const schema of harnessEvents) {
    const read = schema.safeParse(event);
    if (read.success) return read.data;
  }
  return undefined;
}

/** Replaces events in an output with their text. */
export function eventTexts(output: string): string {
  return output
    .split('\n')
    .flatMap((line) => readSteps(line)?.map(textOf).filter(Boolean) ?? [line])
    .join('\n');
}

function textOf(step: AgentStep): string {
  return 'text' in step ? step.text : '';
}

/** Adds up the usage that an agent reports. */
export function createUsageMeter() {
  let total: AgentUsage | undefined;
  return {
    add(step: AgentStep): void {
      if (!('usage' in step)) return;
      const { costUsd, tokens } = step.usage;
      if (costUsd === undefined && tokens === undefined) return;
      const isTotal = step.kind === 'usage' && step.isTotal;
      total = isTotal
        ? { costUsd: costUsd ?? total?.costUsd, tokens: tokens ?? total?.tokens }
        : { costUsd: plus(total?.costUsd, costUsd), tokens: plus(total?.tokens, tokens) };
    },
    /** Returns the total usage, or undefined if the agent reported none. */
    total: () => total,
  };
}

const plus = (a: number | undefined, b: number | undefined) => (a === undefined ? b : a + (b ?? 0));

/**
 * Creates an object that finds the reason of an agent's failure: the text of the failed end, or else the last error.
 */
export function createFailureReason() {
  let reason: string | undefined;
  return {
    add(step: AgentStep): void {
      if (step.kind === 'error') reason = step.text || reason;
      if (step.kind === 'end') reason = step.ok ? undefined : step.text || reason;
    },
    text: () => reason,
  };
}
