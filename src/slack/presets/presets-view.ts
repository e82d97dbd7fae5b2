/** The modal that lists presets: renders its rows and reads their buttons back. */

import type { Button, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { Scope } from '../../store/people/settings.ts';
import {
  isSameName,
  type Preset,
  type PresetName,
  presetReference,
  readPresetReference,
} from '../configuration/presets.ts';
import { describeConfig } from '../configuration/run-defaults.ts';
import { readViewMetadata } from '../posting/modals.ts';
import { actions, button, context, dangerConfirmation, modal, section } from '../text/blocks.ts';
import { escapeText, shorten } from '../text/escape-text.ts';

export const presetIds = {
  share: 'presets:share',
  remove: 'presets:remove',
  previous: 'presets:previous',
  next: 'presets:next',
};

/** `page` is from 0. */
const placeSchema = z.object({ channelId: z.string(), page: z.number().default(0) });
type PresetsPlace = z.infer<typeof placeSchema>;

const owned: Record<Scope, string> = {
  person: 'yours',
  channel: 'this channel',
  workspace: 'workspace',
};

const usedInstead: Record<Scope, string> = {
  person: 'your own preset',
  channel: 'the channel preset',
  workspace: 'the workspace preset',
};

/** Each preset takes two of a view's hundred blocks. */
const perPage = 40;

export function renderPresets(presets: readonly Preset[], place: PresetsPlace): ModalView {
  const last = Math.max(0, Math.ceil(presets.length / perPage) - 1);
  const page = Math.min(Math.max(0, place.page), last);
  const shown = presets.slice(page * perPage, (page + 1) * perPage);
  const turns = [
    ...(page > 0 ? [button(presetIds.previous, '← Previous')] : []),
    ...(page < last ? [button(presetIds.next, 'Next →')] : []),
  ];
  return modal({
    metadata: { ...place, page },
    title: 'Presets',
    blocks: [
      context(presets.length === 0 ? howToSave : howToUse),
      ...shown.flatMap((preset) => renderPreset(preset, presets)),
      ...(last > 0 ? [context(`Page ${page + 1} of ${last + 1}.`), actions(turns)] : []),
    ],
  });
}

const howToSave =
  "No presets yet. To save one, type `/agent`, then select _More options_ and _Save as preset_. You can also save a run's configuration from its _Details_.";
const howToUse =
  "Type `/agent preset=name …`, or choose a preset in the form. If several presets have the same name, `preset=` uses yours first, then the channel's, then the workspace's.";

function renderPreset(preset: Preset, all: readonly Preset[]): KnownBlock[] {
  const { name, scope, makerId, config } = preset;
  const maker = makerId && scope !== 'person' ? `, by <@${makerId}>` : '';
  const nearest = all.find((each) => isSameName(each.name, name));
  const isHidden = nearest !== undefined && nearest.scope !== scope;
  const hidden = isHidden ? `\n\`preset=\` uses ${usedInstead[nearest.scope]} with this name.` : '';
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
    ...(preset.scope === 'workspace' ? [] : [button(presetIds.share, 'Share', { value })]),
    button(presetIds.remove, 'Delete', {
      value,
      style: 'danger',
      confirm: dangerConfirmation(
        'Delete this preset?',
        `${name} (${owned[preset.scope]}). Its runs aren't affected.`,
        'Delete',
        'Keep preset',
      ),
    }),
  ];
}

/** @throws if the value isn't from our own buttons */
export function readPresetButton(value: string | undefined): PresetName {
  const preset = readPresetReference(value ?? '');
  if (!preset) throw new Error('a preset button has no preset');
  return preset;
}

export const readPresetsPlace = (view: { private_metadata: string }): PresetsPlace =>
  readViewMetadata(placeSchema, view);
