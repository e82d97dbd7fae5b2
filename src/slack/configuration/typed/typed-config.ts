import type { AgentConfig } from 'runs-client/contract';
import type { Settings } from '../../../store/people/settings.ts';
import type { Asker } from '../../people/setting.ts';
import { findPreset, noSuchPreset, type Preset, presetOrigin } from '../presets/presets.ts';
import { type ResolvedConfig, readDefaultLayers, resolveConfig } from '../run-defaults.ts';
import { isSkillSpec, skillSpecProblem } from '../skill-spec.ts';
import type { AgentOptions } from './read-options.ts';

type SettingsReader = Pick<Settings, 'readLayers' | 'list'>;

/** `problem` is mrkdwn. */
type TypedConfig =
  | { ok: true; config: AgentConfig; preset: Preset | undefined }
  | { ok: false; problem: string };

/** What the typed options ask for. */
export async function readTypedConfig(
  settings: Pick<Settings, 'list'>,
  asker: Asker,
  options: AgentOptions,
): Promise<TypedConfig> {
  const { env, model, name, skill, connection, preset: wanted } = options;
  if (skill && !isSkillSpec(skill)) {
    return { ok: false, problem: `\`skill=\`: ${skillSpecProblem}` };
  }
  const preset = wanted ? await findPreset(settings, asker, { name: wanted }) : undefined;
  if (wanted && !preset) return { ok: false, problem: noSuchPreset(wanted) };
  const config = {
    ...(connection && { connection: connection.toLowerCase() }),
    ...(env && { environment_id: env }),
    ...(model && { model_id: model }),
    ...(name && { name }),
    ...(skill && { skill_spec: skill }),
  };
  return { ok: true, config, preset };
}

/** Adds the defaults of the workspace, the channel and the person. */
export async function resolveTyped(
  settings: SettingsReader,
  asker: Asker,
  { config, preset }: Extract<TypedConfig, { ok: true }>,
): Promise<ResolvedConfig> {
  return resolveConfig([
    ...(await readDefaultLayers(settings, asker)),
    ...(preset ? [{ origin: presetOrigin(preset), config: preset.config }] : []),
    { origin: 'typed', config },
  ]);
}
