/** The modal that starts a run: renders its fields and reads them back. */
import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { AgentConfig } from '../../runs-api/contract.ts';
import { context, limits, plain, shorten, textInput } from '../blocks.ts';
import { readMcpServers } from './mcp-servers.ts';

export const startRunView = 'start-run:submit';

const metadataSchema = z.object({ channelId: z.string() });
export type StartRunOrigin = z.infer<typeof metadataSchema>;

export type StartRunAnswers = { prompt: string; title: string; config: AgentConfig };

/** Either what was asked for, or a sentence for every field that is wrong. */
export type ReadModal =
  | { ok: true; answers: StartRunAnswers; origin: StartRunOrigin }
  | { ok: false; errors: Record<string, string> };

const titleLimit = 150;
const idLimit = 255;

export function renderStartRunModal(origin: StartRunOrigin, prompt: string): ModalView {
  return {
    type: 'modal',
    callback_id: startRunView,
    private_metadata: JSON.stringify(origin),
    title: plain('Start an agent run', 24),
    submit: plain('Start', 24),
    close: plain('Cancel', 24),
    blocks: [...renderTooLong(prompt), ...renderFields(prompt)],
  };
}

function renderTooLong(prompt: string): KnownBlock[] {
  const length = [...prompt].length;
  if (length <= limits.inputValue) return [];
  const kept = `⚠️ Slack's form takes ${limits.inputValue} characters, your text has ${length}.`;
  return [context(`${kept} Only the beginning is below: shorten it, or link to the rest.`)];
}

function renderFields(prompt: string): KnownBlock[] {
  return [
    textInput({
      blockId: 'prompt',
      label: 'What should the agent do?',
      value: prompt,
      multiline: true,
      placeholder: 'Count the TODO comments and say which file has most',
    }),
    textInput({
      blockId: 'title',
      label: 'Title',
      optional: true,
      maxLength: titleLimit,
      hint: 'Without one, the first line of the prompt is taken.',
    }),
    textInput({
      blockId: 'environment_id',
      label: 'Environment',
      optional: true,
      maxLength: idLimit,
      hint: 'Id of the environment to run in. Empty takes the default of the runs service.',
    }),
    textInput({ blockId: 'model_id', label: 'Model', optional: true, maxLength: idLimit }),
    textInput({
      blockId: 'name',
      label: 'Configuration name',
      optional: true,
      maxLength: idLimit,
      hint: 'Groups runs, for filtering.',
    }),
    textInput({
      blockId: 'skill_spec',
      label: 'Skill',
      optional: true,
      maxLength: idLimit,
      placeholder: 'owner/repo:skill-name',
    }),
    textInput({ blockId: 'base_prompt', label: 'Base prompt', optional: true, multiline: true }),
    textInput({
      blockId: 'mcp_servers',
      label: 'MCP servers',
      optional: true,
      multiline: true,
      hint: 'JSON, for example {"docs": {"url": "https://mcp.example.com"}}',
    }),
  ];
}

const skillPattern = /^[^/\s:]+\/[^/\s:]+:\S+$/;

/** @throws when `private_metadata` is not ours: no person can cause that */
export function readStartRunModal(view: ModalAnswers): ReadModal {
  const text = (blockId: string) => {
    const typed = view.state.values[blockId]?.['value']?.value ?? '';
    // SQLite cuts a text at this character, PostgreSQL and process environments refuse it.
    return typed.replaceAll('\0', '').trim();
  };
  const errors: Record<string, string> = {};
  const prompt = text('prompt');
  if (!prompt) errors['prompt'] = 'Say what the agent should do.';
  const skill = text('skill_spec');
  if (skill && !skillPattern.test(skill)) {
    errors['skill_spec'] = 'Write it as owner/repo:skill-name or owner/repo:path/to/SKILL.md.';
  }
  const mcpServers = readMcpServers(text('mcp_servers'));
  if (mcpServers.error) errors['mcp_servers'] = mcpServers.error;
  if (Object.keys(errors).length > 0) return { ok: false, errors };
  const title = text('title') || shorten(prompt.split('\n')[0]?.trim() ?? '', titleLimit);
  const ids = Object.fromEntries(
    ['environment_id', 'model_id', 'name', 'skill_spec', 'base_prompt']
      .map((field) => [field, text(field)] as const)
      .filter(([, value]) => value),
  );
  const config = { ...ids, ...(mcpServers.value && { mcp_servers: mcpServers.value }) };
  const origin = metadataSchema.parse(JSON.parse(view.private_metadata));
  return { ok: true, answers: { prompt, title, config }, origin };
}

type ModalAnswers = {
  private_metadata: string;
  state: { values: Record<string, Record<string, { value?: string | null }>> };
};
