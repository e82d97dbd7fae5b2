import type { AgentConfig } from 'runs-client/contract';
import {
  type ConfigLayer,
  configFields,
  type ResolvedConfig,
  resolveConfig,
} from '../configuration/run-defaults.ts';

/**
 * The form over the defaults. A field that equals its default takes the preset's value. A field that isn't shown is
 * unchanged; an emptied one has no value. See
 * docs/decisions/011-forms-open-with-what-is-known.md.
 * @param shown a key for each field that the form shows, `undefined` if it's empty
 */
export function mergeFormConfig(
  shown: AgentConfig,
  layers: readonly ConfigLayer[],
  preset: ConfigLayer | undefined,
): ResolvedConfig {
  const defaults = resolveConfig(layers);
  const wanted = preset ? resolveConfig([...layers, preset]) : defaults;
  const config: AgentConfig = {};
  const fields: Record<string, string> = {};
  for (const field of configFields) {
    const value = shown[field];
    const isUnchanged =
      !(field in shown) ||
      isSame(value, wanted.config[field]) ||
      isSame(value, defaults.config[field]);
    if (!isUnchanged) {
      if (value === undefined) continue;
      Object.assign(config, { [field]: value });
      fields[field] = 'typed';
    } else if (wanted.config[field] !== undefined) {
      Object.assign(config, { [field]: wanted.config[field] });
      fields[field] = wanted.fields[field] ?? 'typed';
    }
  }
  return { config, fields };
}

const isSame = (one: unknown, other: unknown) =>
  one === other || JSON.stringify(one) === JSON.stringify(other);
