import { z } from 'zod';

/** What an agent used, by its own account: US dollars and tokens of every kind. */
export const agentUsageSchema = z.object({
  costUsd: z.number().optional(),
  tokens: z.number().optional(),
});
export type AgentUsage = z.infer<typeof agentUsageSchema>;

/** "12,345 tokens, $0.25"; empty when nothing is known. */
export function usageText({ costUsd, tokens }: AgentUsage): string {
  const parts = [
    tokens !== undefined && `${tokens.toLocaleString('en-US')} tokens`,
    costUsd !== undefined && `$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** One thing that an agent did or said, as the known harnesses report it line by line. */
export type AgentStep =
  /** `part`: a piece of a text that goes on in the next step. */
  | { kind: 'text'; text: string; part?: boolean }
  | { kind: 'thought'; text: string }
  | { kind: 'note'; text: string }
  | { kind: 'call'; name: string; input: string }
  | { kind: 'result'; ok: boolean; text: string }
  | { kind: 'error'; text: string }
  /** Reported as it is used; a run's total is the sum. */
  | { kind: 'usage'; usage: AgentUsage }
  | { kind: 'end'; ok: boolean; text: string; usage: AgentUsage };

const inputCharacters = 300;
/** What says most about a call, in this order; harnesses name their tools' arguments alike. */
const telling = ['command', 'cmd', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url'];

/** A tool's arguments in one short line: the one that says most, else all of them. */
export function shortInput(input: unknown): string {
  const record = typeof input === 'object' && input !== null ? input : {};
  const [first] = telling.flatMap((name) => {
    const value: unknown = Reflect.get(record, name);
    if (typeof value === 'string') return [value];
    return Array.isArray(value) ? [value.join(' ')] : [];
  });
  const text = first ?? (typeof input === 'string' ? input : (JSON.stringify(input) ?? ''));
  const characters = [
    ...text
      .slice(0, 4 * inputCharacters)
      .replace(/\s+/g, ' ')
      .trim(),
  ];
  if (characters.length <= inputCharacters) return characters.join('');
  return `${characters.slice(0, inputCharacters - 1).join('')}…`;
}

/** A value of any shape as text for people. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : (JSON.stringify(value) ?? '');
}
