import type { AgentConfig } from 'runs-client/contract';
import {
  type ConfigLayer,
  configFields,
  type ResolvedConfig,
  resolveConfig,
} from '../configuration/run-defaults.ts';

/**
 * What the form holds over the defaults. A field that equals its default takes the preset's value; one that is not
 * shown was left alone; an emptied one has no value. See
 * docs/decisions/014-defaults-fill-the-form-and-are-settled-on-submission.md.
 * @param shown a key for each field that the form shows, `undefined` where it is empty
 */
export function settleConfig(
  shown: AgentConfig,
  layers: readonly ConfigLayer[],
  preset: ConfigLayer | undefined,
): ResolvedConfig {
  const defaults = resolveConfig(layers);
  const wanted = preset ? resolveConfig([...layers, preset]) : defaults;
  const typed: AgentConfig = {};
  const left: AgentConfig = {};
  const fields: Record<string, string> = {};
  for (const field of configFields) {
    const value = shown[field];
    const isLeft =
      !(field in shown) ||
      isSame(value, wanted.config[field]) ||
      isSame(value, defaults.config[field]);
    if (!isLeft) {
      if (value === undefined) continue;
      Object.assign(typed, { [field]: value });
      fields[field] = 'typed';
    } else if (wanted.config[field] !== undefined) {
      Object.assign(left, { [field]: wanted.config[field] });
      fields[field] = wanted.fields[field] ?? 'typed';
    }
  }
  return { config: { ...left, ...typed }, fields };
}

const isSame = (one: unknown, other: unknown) =>
  one === other || JSON.stringify(one) === JSON.stringify(other);
