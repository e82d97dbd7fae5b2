import { z } from 'zod';
import { type AgentStep, asText, shortInput, withId } from './agent-step.ts';

const count = z.number().nonnegative().catch(0);
const status = z.string().catch('');
const text = z.string().catch('');
const id = z.string().optional().catch(undefined);

/** Schema of items that become steps only when they're completed, because their start is ignored. */
const instantItem = z.union([
  z
    .object({ type: z.enum(['agent_message', 'plan']), text: z.string() })
    .transform(({ text: words }): AgentStep[] => [{ kind: 'text', text: words }]),
  z
    .object({ type: z.literal('reasoning'), text: z.string() })
    .transform(({ text: words }): AgentStep[] => [{ kind: 'thought', text: words }]),
  z
    // Treat an `error` item as a warning, because the turn continues after it.
    .object({ type: z.literal('error'), message: z.string() })
    .transform(({ message }): AgentStep[] => [{ kind: 'note', text: message }]),
  z
    .object({ type: z.literal('web_search'), query: z.string() })
    .transform(({ query }): AgentStep[] => [
      { kind: 'call', name: 'web_search', input: query },
      { kind: 'result', ok: true, text: '' },
    ]),
  z
    .object({
      type: z.literal('file_change'),
      changes: z.array(z.object({ path: z.string(), kind: text })),
      status,
    })
    .transform(({ changes, status: how }): AgentStep[] => [
      {
        kind: 'call',
        name: 'file_change',
        input: changes.map(({ path, kind }) => `${kind} ${path}`.trim()).join(', '),
      },
      { kind: 'result', ok: how !== 'failed', text: how },
    ]),
]);

const todos = z
  .object({
    type: z.literal('todo_list'),
    items: z.array(z.object({ text: z.string(), completed: z.boolean().catch(false) })),
  })
  .transform(({ items }): AgentStep[] => [
    {
      kind: 'plan',
      items: items.map((item) => ({
        title: item.text,
        state: item.completed ? 'completed' : 'pending',
      })),
    },
  ]);

const startedItem = z.union([
  z
    .object({ type: z.literal('command_execution'), id, command: z.string() })
    .transform(({ id: item, command }): AgentStep[] => [
      { kind: 'call', ...withId(item), name: 'command', input: shortInput(command) },
    ]),
  z
    .object({
      type: z.literal('mcp_tool_call'),
      id,
      server: text,
      tool: z.string(),
      arguments: z.unknown().optional(),
    })
    .transform(({ id: item, server, tool, arguments: input }): AgentStep[] => [
      {
        kind: 'call',
        ...withId(item),
        name: `${server} ${tool}`.trim(),
        input: shortInput(input),
      },
    ]),
  todos,
  z.looseObject({ type: z.string() }).transform((): AgentStep[] => []),
]);

const completedItem = z.union([
  instantItem,
  z
    .object({
      type: z.literal('command_execution'),
      id,
      aggregated_output: text,
      exit_code: z.number().nullish(),
      status,
    })
    .transform(({ id: item, aggregated_output, exit_code, status: how }): AgentStep[] => [
      {
        kind: 'result',
        ...withId(item),
        ok: (exit_code ?? 0) === 0 && how !== 'failed' && how !== 'declined',
        text: aggregated_output || how,
      },
    ]),
  z
    .object({
      type: z.literal('mcp_tool_call'),
      id,
      result: z.object({ content: z.unknown().optional() }).nullish().catch(undefined),
      error: z.object({ message: z.string() }).nullish().catch(undefined),
    })
    .transform(({ id: item, result, error }): AgentStep[] => [
      {
        kind: 'result',
        ...withId(item),
        ok: !error,
        text: error?.message ?? asText(result?.content),
      },
    ]),
  todos,
]);

const failure = (message: string): AgentStep[] => [
  { kind: 'end', ok: false, text: message, usage: {} },
];

/** Schema that converts a line of `codex exec --json` to steps. https://developers.openai.com/codex/noninteractive */
export const codexEvent = z.union([
  z.object({ type: z.enum(['thread.started', 'turn.started']) }).transform((): AgentStep[] => []),
  z
    .object({ type: z.enum(['item.started', 'item.updated']), item: startedItem })
    .transform(({ type, item }) => {
      const isNew = type === 'item.started' || item.some(({ kind }) => kind === 'plan');
      return isNew ? item : [];
    }),
  z
    .object({ type: z.literal('item.completed'), item: completedItem })
    .transform(({ item }) => item),
  z
    .object({
      type: z.literal('turn.completed'),
      usage: z.object({ input_tokens: count, output_tokens: count }),
    })
    .transform(({ usage }): AgentStep[] => [
      // Add only input and output tokens. Input includes cached tokens, and output includes reasoning tokens.
      {
        kind: 'end',
        ok: true,
        text: '',
        usage: { tokens: usage.input_tokens + usage.output_tokens },
      },
    ]),
  z
    .object({ type: z.literal('turn.failed'), error: z.object({ message: z.string() }) })
    .transform(({ error }) => failure(error.message)),
  z
    .strictObject({ type: z.literal('error'), message: z.string() })
    .transform(({ message }): AgentStep[] => [{ kind: 'error', text: message }]),
]);
