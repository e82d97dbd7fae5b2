/** The modal that lists presets: renders its rows and reads their buttons back. */
import type { KnownBlock, ModalView } from '@slack/types';
import { stringify } from 'yaml';
import { z } from 'zod';
import {
  actions,
  button,
  codeBlock,
  context,
  escapeText,
  limits,
  plain,
  section,
} from '../blocks.ts';
import type { Preset } from '../presets.ts';
import { configFields, fieldWords, type Scope } from '../run-defaults.ts';
import { withoutSecrets } from '../without-secrets.ts';

export const presetIds = { remove: 'presets:remove', share: 'presets:share', yaml: 'presets:yaml' };

const owned: Record<Scope, string> = {
  person: 'yours',
  channel: 'of this channel',
  workspace: 'of the workspace',
};

/** Two blocks a preset, of the hundred that a view takes. */
const mostShown = 40;

export function renderPresets(presets: readonly Preset[], channelId: string): ModalView {
  const more = presets.length - mostShown;
  return {
    type: 'modal',
    private_metadata: JSON.stringify({ channelId }),
    title: plain('Presets', 24),
    close: plain('Close', 24),
    blocks: [
      ...(presets.length === 0 ? [section(howToSave)] : []),
      ...presets.slice(0, mostShown).flatMap((preset) => renderPreset(preset, channelId)),
      ...(more > 0 ? [context(`… and ${more} more.`)] : []),
      ...(presets.length > 0 ? [actions([button(presetIds.yaml, 'Show as YAML')])] : []),
    ],
  };
}

const howToSave =
  'No presets yet. Open the form with `/agent`, press _More options_ and give a name under _Save as preset_. Use it with `/agent preset=name …`.';

function renderPreset(preset: Preset, channelId: string): KnownBlock[] {
  const { name, scope, config } = preset;
  const values = configFields.flatMap((field) => {
    const value = config[field];
    if (value === undefined) return [];
    const said = typeof value === 'string' ? value : Object.keys(value).join(', ');
    return [`${fieldWords[field]} ${escapeText(said.replace(/\s+/g, ' '), 80)}`];
  });
  const value = JSON.stringify({ name, scope });
  return [
    section(`*${escapeText(name, 80)}* (${owned[scope]})\n${values.join('  ·  ') || 'no values'}`),
    actions([
      ...(scope === 'person' && channelId
        ? [button(presetIds.share, 'Share with this channel', { value })]
        : []),
      button(presetIds.remove, 'Delete', { value, style: 'danger' }),
    ]),
  ];
}

/** A page on top of the list, to copy from; keys of MCP servers are not shown. */
export function renderPresetsYaml(presets: readonly Preset[]): ModalView {
  const yaml = stringify(
    presets.map(({ name, scope, config }) => ({ name, scope, config: withoutSecrets(config) })),
  );
  const isCut = [...yaml].length > limits.text;
  return {
    type: 'modal',
    title: plain('Presets as YAML', 24),
    close: plain('Back', 24),
    blocks: [
      codeBlock(yaml, limits.text),
      ...(isCut ? [context('Only the beginning fits here.')] : []),
    ],
  };
}

const valueSchema = z.object({
  name: z.string(),
  scope: z.enum(['person', 'channel', 'workspace']),
});

export function readPresetButton(value: string | undefined) {
  return valueSchema.parse(JSON.parse(value ?? ''));
}

export function readPresetsPlace(view: { private_metadata: string }): string {
  return z.object({ channelId: z.string() }).parse(JSON.parse(view.private_metadata)).channelId;
}
