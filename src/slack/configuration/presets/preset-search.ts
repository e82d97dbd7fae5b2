import type { Scope } from '../../../store/people/settings.ts';
import {
  inGroups,
  option,
  optionGroup,
  optionLimits,
  type SearchAnswer,
} from '../../text/form-inputs.ts';
import { describeConfig } from '../run-defaults.ts';
import { isSameName, nearestFirst, type Preset, presetKinds, presetReference } from './presets.ts';

const groupNames: Record<Scope, string> = {
  person: 'Your presets',
  channel: 'Channel presets',
  workspace: 'Workspace presets',
};

/** Presets grouped by scope. If several have the same name, the options say which one `preset=` uses. */
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
  return inGroups(groups);
}

function toOption(preset: Preset, all: readonly Preset[]) {
  const nearest = all.find(({ name }) => isSameName(name, preset.name));
  const isHidden = nearest !== undefined && nearest.scope !== preset.scope;
  const note = isHidden ? `preset= uses ${usedInstead[nearest.scope]}. ` : '';
  const text = `${preset.name}${isHidden ? ` (${presetKinds[preset.scope]})` : ''}`;
  return option(text, presetReference(preset), note + describeConfig(preset.config));
}

const usedInstead: Record<Scope, string> = {
  person: 'your own',
  channel: "the channel's",
  workspace: "the workspace's",
};
