/** The modal that lists presets: renders its rows and reads their buttons back. */
import type { Button, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import {
  isSameName,
  type Preset,
  type PresetName,
  presetReference,
  readPresetReference,
} from '../configuration/presets.ts';
import { describeConfig, type Scope } from '../configuration/run-defaults.ts';
import { readViewMetadata } from '../connection/view-metadata.ts';
import { actions, button, context, escapeText, plain, section, shorten } from '../text/blocks.ts';

export const presetIds = {
  rename: 'presets:rename',
  share: 'presets:share',
  remove: 'presets:remove',
};

const owned: Record<Scope, string> = {
  person: 'yours',
  channel: 'of this channel',
  workspace: 'of the workspace',
};

const takenInstead: Record<Scope, string> = {
  person: 'yours',
  channel: 'the one of this channel',
  workspace: 'the one of the workspace',
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
      context(presets.length === 0 ? howToSave : howToUse),
      ...presets.slice(0, mostShown).flatMap((preset) => renderPreset(preset, presets)),
      ...(more > 0 ? [context(`… and ${more} more. Search for them in the form.`)] : []),
    ],
  };
}

const howToSave =
  'No presets yet. Open the form with `/agent`, press _More options_ and give a name under _Save as preset_; or press _Save as preset_ in the _Details_ of a run.';
const howToUse =
  'Use one with `/agent preset=name …`, or pick it in the form. Of several of one name `preset=` takes yours first, then the channel’s, then the workspace’s; the form lets you pick any.';

function renderPreset(preset: Preset, all: readonly Preset[]): KnownBlock[] {
  const { name, scope, makerId, config } = preset;
  const maker = makerId && scope !== 'person' ? `, by <@${makerId}>` : '';
  const nearest = all.find((each) => isSameName(each.name, name));
  const isHidden = nearest !== undefined && nearest.scope !== scope;
  const hidden = isHidden ? `\n\`preset=\` takes ${takenInstead[nearest.scope]} instead.` : '';
  const values = escapeText(describeConfig(config), 1_000);
  return [
    section(`*${escapeText(name, 80)}* (${owned[scope]}${maker})\n${values}${hidden}`),
    actions(renderButtons(preset)),
  ];
}

function renderButtons(preset: Preset): Button[] {
  const value = presetReference(preset);
  const name = shorten(preset.name, 60);
  return [
    button(presetIds.rename, 'Rename', { value }),
    ...(preset.scope === 'workspace' ? [] : [button(presetIds.share, 'Share', { value })]),
    button(presetIds.remove, 'Delete', {
      value,
      style: 'danger',
      confirm: {
        title: plain('Delete this preset?', 100),
        text: plain(`${name} (${owned[preset.scope]}). Runs started with it stay.`, 300),
        confirm: plain('Delete', 30),
        deny: plain('Keep it', 30),
        style: 'danger',
      },
    }),
  ];
}

/** @throws when the value is not ours: no person can cause that */
export function readPresetButton(value: string | undefined): PresetName {
  const preset = readPresetReference(value ?? '');
  if (!preset) throw new Error('a button of the presets names none');
  return preset;
}

export function readPresetsPlace(view: { private_metadata: string }): string {
  return readViewMetadata(z.object({ channelId: z.string() }), view).channelId;
}
