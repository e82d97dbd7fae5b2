import type { AgentStep, AgentUsage } from './agent-step.ts';
import { claudeEvent } from './claude-steps.ts';
import { codexEvent } from './codex-steps.ts';
import { geminiEvent } from './gemini-steps.ts';
import { opencodeEvent } from './opencode-steps.ts';

const harnessEvents = [claudeEvent, codexEvent, geminiEvent, opencodeEvent];

/**
 * What a line of output says, if it is an event of a known harness. Told by its shape, because an environment's command
 * may be a wrapper round one. Undefined for every other line: it is output and shown as it is.
 */
export function readSteps(line: string): AgentStep[] | undefined {
  if (!line.startsWith('{')) return undefined;
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    return undefined;
  }
  for (const schema of harnessEvents) {
    const read = schema.safeParse(event);
    if (read.success) return read.data;
  }
  return undefined;
}

/** An output with its events as the words in them: what a person would have read in a terminal. */
export function wordsOf(output: string): string {
  return output
    .split('\n')
    .flatMap((line) => readSteps(line)?.map(wordOf).filter(Boolean) ?? [line])
    .join('\n');
}

function wordOf(step: AgentStep): string {
  return 'text' in step ? step.text : '';
}

/** A line is an event only when it is whole; a longer one is not worth the memory. */
const maxLineBytes = 4 * 1024 * 1024;

/** Adds up what an agent says it used, from its output as it comes. */
export function createUsageMeter() {
  let line: Buffer[] = [];
  let lineBytes = 0;
  let total: AgentUsage | undefined;

  function add(more: AgentUsage): void {
    if (more.costUsd === undefined && more.tokens === undefined) return;
    total = {
      costUsd: plus(total?.costUsd, more.costUsd),
      tokens: plus(total?.tokens, more.tokens),
    };
  }

  function endLine(): void {
    if (lineBytes <= maxLineBytes)
      for (const step of readSteps(Buffer.concat(line).toString('utf8')) ?? [])
        if ('usage' in step) add(step.usage);
    line = [];
    lineBytes = 0;
  }

  return {
    push(chunk: Buffer): void {
      let rest = chunk;
      for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
        hold(rest.subarray(0, end));
        endLine();
        rest = rest.subarray(end + 1);
      }
      hold(rest);
    },
    /** Undefined when the agent said nothing about it. */
    total(): AgentUsage | undefined {
      endLine();
      return total;
    },
  };

  function hold(part: Buffer): void {
    lineBytes += part.length;
    if (lineBytes <= maxLineBytes && part.length > 0) line.push(part);
    else if (lineBytes > maxLineBytes) line = [];
  }
}
export type UsageMeter = ReturnType<typeof createUsageMeter>;

const plus = (a: number | undefined, b: number | undefined) => (a === undefined ? b : a + (b ?? 0));
