/** The modal that starts a run: renders its fields and reads them back. */
import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { AgentConfig } from '../../runs-api/contract.ts';
import { requestOriginSchema } from '../../store/request-origin.ts';
import { context, limits, plain, textInput } from '../blocks.ts';
import { type RunDraft, titleLimit } from '../run-start.ts';
import { isSkillSpec, skillSpecProblem } from '../skill-spec.ts';
import { readMcpServers } from './mcp-servers.ts';

export const startRunView = 'start-run:submit';

const metadataSchema = z.object({ channelId: z.string(), origin: requestOriginSchema });
export type FormMetadata = z.infer<typeof metadataSchema>;

export type StartRunAnswers = { prompt: string; title: string; config: AgentConfig };

/** Either what was asked for, or a sentence for every field that is wrong. */
export type ReadModal =
  | { ok: true; answers: StartRunAnswers; metadata: FormMetadata }
  | { ok: false; errors: Record<string, string> };

const idLimit = 255;

/** `values` is the configuration that the fields begin with: what was typed over the defaults. */
export function renderStartRunModal(draft: RunDraft, values: AgentConfig): ModalView {
  const metadata: FormMetadata = { channelId: draft.channelId, origin: draft.origin };
  return {
    type: 'modal',
    callback_id: startRunView,
    private_metadata: JSON.stringify(metadata),
    title: plain('Start an agent run', 24),
    submit: plain('Start', 24),
    close: plain('Cancel', 24),
    blocks: [...renderTooLong(draft.prompt), ...renderFields(draft, values)],
  };
}

function renderTooLong(prompt: string): KnownBlock[] {
  const length = [...prompt].length;
  if (length <= limits.inputValue) return [];
  const kept = `⚠️ Slack's form takes ${limits.inputValue} characters, your text has ${length}.`;
  return [context(`${kept} Only the beginning is below: shorten it, or link to the rest.`)];
}

function renderFields({ prompt, title }: RunDraft, values: AgentConfig): KnownBlock[] {
  const servers = values.mcp_servers && JSON.stringify(values.mcp_servers, null, 2);
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
      value: title,
      optional: true,
      maxLength: titleLimit,
      hint: 'Without one, the first line of the prompt is taken.',
    }),
    textInput({
      blockId: 'environment_id',
      label: 'Environment',
      value: values.environment_id,
      optional: true,
      maxLength: idLimit,
      hint: 'Id of the environment to run in. Empty takes the default of the runs service.',
    }),
    textInput({
      blockId: 'model_id',
      label: 'Model',
      value: values.model_id,
      optional: true,
      maxLength: idLimit,
    }),
    textInput({
      blockId: 'name',
      label: 'Configuration name',
      value: values.name,
      optional: true,
      maxLength: idLimit,
      hint: 'Groups runs, for filtering.',
    }),
    textInput({
      blockId: 'skill_spec',
      label: 'Skill',
      value: values.skill_spec,
      optional: true,
      maxLength: idLimit,
      placeholder: 'owner/repo:skill-name',
    }),
    textInput({
      blockId: 'base_prompt',
      label: 'Base prompt',
      value: values.base_prompt,
      optional: true,
      multiline: true,
    }),
    textInput({
      blockId: 'mcp_servers',
      label: 'MCP servers',
      value: servers,
      optional: true,
      multiline: true,
      hint: 'JSON, for example {"docs": {"url": "https://mcp.example.com"}}',
    }),
  ];
}

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
  if (skill && !isSkillSpec(skill)) errors['skill_spec'] = skillSpecProblem;
  const mcpServers = readMcpServers(text('mcp_servers'));
  if (mcpServers.error) errors['mcp_servers'] = mcpServers.error;
  if (Object.keys(errors).length > 0) return { ok: false, errors };
  const title = text('title');
  const ids = Object.fromEntries(
    ['environment_id', 'model_id', 'name', 'skill_spec', 'base_prompt']
      .map((field) => [field, text(field)] as const)
      .filter(([, value]) => value),
  );
  const config = { ...ids, ...(mcpServers.value && { mcp_servers: mcpServers.value }) };
  const metadata = metadataSchema.parse(JSON.parse(view.private_metadata));
  return { ok: true, answers: { prompt, title, config }, metadata };
}

type ModalAnswers = {
  private_metadata: string;
  state: { values: Record<string, Record<string, { value?: string | null }>> };
};
