/** The modal of defaults: renders its fields and reads them back. */
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { AgentConfig } from '../../runs-api/contract.ts';
import { actions, button, context, plain, textInput } from '../blocks.ts';
import { type FormState, readFormValue, tickInput } from '../form-inputs.ts';
import { readMcpServers } from '../mcp-servers.ts';
import type { Scope } from '../run-defaults.ts';
import { isSkillSpec, skillSpecProblem } from '../skill-spec.ts';

export const settingsIds = {
  view: 'settings:save',
  scope: 'settings:scope',
  open: 'settings:open',
};

export const scopeSchema = z.enum(['person', 'channel', 'workspace']);
const metadataSchema = z.object({ scope: scopeSchema, channelId: z.string() });

const titles: Record<Scope, string> = {
  person: 'My defaults',
  channel: 'Channel defaults',
  workspace: 'Workspace defaults',
};

const explanations: Record<Scope, string> = {
  person: 'They count for the runs that you start, over those of the channel and the workspace.',
  channel: 'They count for runs that are started in this channel, by everybody.',
  workspace: 'They count for all runs of the workspace. Only its admins may change them.',
};

export type SettingsContent = {
  scope: Scope;
  /** Empty where no channel is known. */
  channelId: string;
  config: AgentConfig;
  startsAtOnce: boolean;
};

const idLimit = 255;

/** Slack keeps what stands in a block of the same id, so that each scope has blocks of its own. */
export const blockOf = (scope: Scope) => (field: string) => `${scope}:${field}`;

export function renderSettings({
  scope,
  channelId,
  config,
  startsAtOnce,
}: SettingsContent): ModalView {
  const others = scopeSchema.options.filter(
    (each) => each !== scope && (each !== 'channel' || channelId !== ''),
  );
  const servers = config.mcp_servers && JSON.stringify(config.mcp_servers, null, 2);
  const block = blockOf(scope);
  const id = (field: string, label: string, value: string | undefined) =>
    textInput({ blockId: block(field), label, value, optional: true, maxLength: idLimit });
  const atOnce = { value: 'at-once', text: 'Start at once when I type /agent and a prompt' };
  return {
    type: 'modal',
    callback_id: settingsIds.view,
    private_metadata: JSON.stringify({ scope, channelId }),
    title: plain(titles[scope], 24),
    submit: plain('Save', 24),
    close: plain('Cancel', 24),
    blocks: [
      context(explanations[scope]),
      actions(others.map((each) => button(`${settingsIds.scope}:${each}`, titles[each]))),
      id('environment_id', 'Environment', config.environment_id),
      id('model_id', 'Model', config.model_id),
      id('skill_spec', 'Skill', config.skill_spec),
      id('name', 'Configuration name', config.name),
      textInput({
        blockId: block('base_prompt'),
        label: 'Base prompt',
        value: config.base_prompt,
        optional: true,
        multiline: true,
      }),
      textInput({
        blockId: block('mcp_servers'),
        label: 'MCP servers',
        value: servers,
        optional: true,
        multiline: true,
        hint: 'JSON, for example {"docs": {"url": "https://mcp.example.com"}}',
      }),
      ...(scope === 'person'
        ? [
            tickInput({
              blockId: block('ticks'),
              label: 'Commands',
              ticks: [{ ...atOnce, isTicked: startsAtOnce }],
            }),
          ]
        : []),
    ],
  };
}

export function readSettingsPlace(view: { private_metadata: string }) {
  return metadataSchema.parse(JSON.parse(view.private_metadata));
}

export type ReadSettings =
  | { ok: true; config: AgentConfig; startsAtOnce: boolean }
  | { ok: false; errors: Record<string, string> };

export function readSettings(scope: Scope, { state }: { state: FormState }): ReadSettings {
  const block = blockOf(scope);
  const text = (field: string) => readFormValue(state, block(field)) || undefined;
  const errors: Record<string, string> = {};
  const skill = text('skill_spec');
  if (skill && !isSkillSpec(skill)) errors[block('skill_spec')] = skillSpecProblem;
  const servers = readMcpServers(text('mcp_servers') ?? '');
  if (servers.error) errors[block('mcp_servers')] = servers.error;
  if (Object.keys(errors).length > 0) return { ok: false, errors };
  const written = Object.fromEntries(
    (['environment_id', 'model_id', 'skill_spec', 'name', 'base_prompt'] as const).flatMap(
      (field) => {
        const value = text(field);
        return value ? [[field, value]] : [];
      },
    ),
  );
  const config = { ...written, ...(servers.value && { mcp_servers: servers.value }) };
  return { ok: true, config, startsAtOnce: (text('ticks') ?? '').includes('at-once') };
}
