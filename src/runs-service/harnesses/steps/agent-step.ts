import { z } from 'zod';
import { shorten } from '../../../lib/shorten.ts';

/** What an agent reports: US dollars, and tokens of every kind. */
export const agentUsageSchema = z.object({
  costUsd: z.number().optional(),
  tokens: z.number().optional(),
});
export type AgentUsage = z.infer<typeof agentUsageSchema>;

/** "12,345 tokens, $0.25" */
export function usageText({ costUsd, tokens }: AgentUsage): string {
  const parts = [
    tokens !== undefined && `${tokens.toLocaleString('en-US')} tokens`,
    costUsd !== undefined && `$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** One event of a known harness. */
export type AgentStep =
  /** `part`: the text continues in the next step. */
  | { kind: 'text'; text: string; part?: boolean }
  | { kind: 'thought'; text: string }
  | { kind: 'note'; text: string }
  | { kind: 'call'; name: string; input: string }
  | { kind: 'result'; ok: boolean; text: string }
  | { kind: 'error'; text: string }
  /** A run's total is the sum. */
  | { kind: 'usage'; usage: AgentUsage }
  | { kind: 'end'; ok: boolean; text: string; usage: AgentUsage };

const inputCharacters = 300;
/** The most informative arguments of a tool, in this order. The harnesses use similar names. */
const mainArguments = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'path',
  'pattern',
  'query',
  'url',
];

/** The main argument of a tool in one short line, or else all arguments. */
export function shortInput(input: unknown): string {
  const record = typeof input === 'object' && input !== null ? input : {};
  const [first] = mainArguments.flatMap((name) => {
    const value: unknown = Reflect.get(record, name);
    if (typeof value === 'string') return [value];
    return Array.isArray(value) ? [value.join(' ')] : [];
  });
  const text = first ?? (typeof input === 'string' ? input : (JSON.stringify(input) ?? ''));
  const start = text.slice(0, 4 * inputCharacters).replace(/\s+/g, ' ');
  return shorten(start.trim(), inputCharacters);
}

export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : (JSON.stringify(value) ?? '');
}
