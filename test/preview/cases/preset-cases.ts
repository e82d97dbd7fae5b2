import type { Preset } from '../../../src/slack/configuration/presets.ts';
import { describeConfig } from '../../../src/slack/configuration/run-defaults.ts';
import {
  renderPresets,
  renderSaveDialog,
  renderSaved,
} from '../../../src/slack/presets/presets-view.ts';
import type { PreviewCase } from '../preview-cases.ts';

const nightly = { environment_id: 'web', model_id: 'small' };
const presets: Preset[] = [
  { scope: 'person', name: 'nightly', config: { ...nightly, model_id: 'large' } },
  { scope: 'channel', name: 'nightly', config: nightly, makerId: 'U04GRACEHOP' },
  {
    scope: 'workspace',
    name: 'Review',
    config: { skill_spec: 'acme/skills:review', base_prompt: 'Be brief.\nBe kind.' },
    makerId: 'U04ADALOVEL',
  },
];
const place = { channelId: 'C04GENERAL1', page: 0 };
const many = Array.from({ length: 41 }, (_, at): Preset => {
  return { scope: 'person', name: `nightly ${at + 1}`, config: nightly };
});
const subject = { channelId: 'C04GENERAL1' };
const preset = { name: 'nightly', scope: 'person' as const };

const modals: [group: string, name: string, payload: PreviewCase['payload']][] = [
  ['Presets', 'none yet', renderPresets([], place)],
  ['Presets', 'of every scope', renderPresets(presets, place)],
  ['Presets', 'the last page of many', renderPresets(many, { ...place, page: 1 })],
  [
    'Presets',
    'save from a run',
    renderSaveDialog({ ...subject, requestId: 'T1-V1' }, describeConfig(nightly)),
  ],
  ['Presets', 'saved', renderSaved({ name: 'every night', scope: 'channel' })],
  ['Presets', 'share', renderSaveDialog({ ...subject, preset }, describeConfig(nightly))],
];

export const presetCases: readonly PreviewCase[] = modals.map(([group, name, payload]) => ({
  group,
  name,
  kind: 'modal',
  payload,
}));
