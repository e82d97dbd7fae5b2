import { option, optionGroup, optionLimits, type SearchAnswer } from './form-inputs.ts';
import { isSameName, nearestFirst, type Preset, presetReference } from './presets.ts';
import { describeConfig, type Scope } from './run-defaults.ts';

const groupNames: Record<Scope, string> = {
  person: 'Yours',
  channel: 'Of this channel',
  workspace: 'Of the workspace',
};

/** Presets by whose they are; of several of one name it is said which `preset=` means. */
export function searchPresets(presets: readonly Preset[], query: string): SearchAnswer {
  const wanted = query.trim().toLowerCase();
  const groups = nearestFirst.flatMap((scope) => {
    const found = presets.filter(
      (preset) => preset.scope === scope && preset.name.toLowerCase().includes(wanted),
    );
    const shown = found.slice(0, optionLimits.options);
    const cut = ` (first ${shown.length} of ${found.length}, type to narrow)`;
    const label = groupNames[scope] + (found.length > shown.length ? cut : '');
    return optionGroup(
      label,
      shown.map((preset) => toOption(preset, presets)),
    );
  });
  return groups.length > 0 ? { option_groups: groups } : { options: [] };
}

function toOption(preset: Preset, all: readonly Preset[]) {
  const nearest = all.find(({ name }) => isSameName(name, preset.name));
  const isHidden = nearest !== undefined && nearest.scope !== preset.scope;
  const note = isHidden ? `preset= takes ${takenInstead[nearest.scope]}. ` : '';
  const text = `${preset.name}${isHidden ? ` (${groupNames[preset.scope].toLowerCase()})` : ''}`;
  return option(text, presetReference(preset), note + describeConfig(preset.config));
}

const takenInstead: Record<Scope, string> = {
  person: 'yours of this name',
  channel: 'the channel’s of this name',
  workspace: 'the workspace’s of this name',
};
