import {
  type ConfigField,
  configFields,
  fieldWords,
  scopeWords,
} from '../configuration/run-defaults.ts';
import type { DetailedRun } from './detailed-run.ts';

export type Fact = [name: string, value: string | null | undefined | false];

/** The service always has a value for these, whether it reports it or not. */
const alwaysChosen = new Set<ConfigField>(['environment_id', 'model_id']);

/** Each value of the configuration with its source at the time of the request. */
export function configurationFacts(detailed: DetailedRun): Fact[] {
  return configFields.map((field) => [fieldWords[field], fact(detailed, field)]);
}

/** The value that the service used, and the requested one where it differs. */
function fact(detailed: DetailedRun, field: ConfigField): string | undefined {
  const { config, origin, run, ref } = detailed;
  const requested = textOf(config[field]);
  const used = textOf(run?.agent_config?.[field]);
  // Started elsewhere: the requested values aren't known.
  if ('runId' in ref) return used;
  const from = describeOrigin(origin?.fields?.[field]);
  if (used && used !== requested) {
    const instead = requested ? `; requested: ${requested}${from && `, ${from}`}` : '';
    return `${used} (chosen by the service${instead})`;
  }
  if (requested) return `${requested}${from && ` (${from})`}`;
  return alwaysChosen.has(field) ? 'chosen by the service' : undefined;
}

/** Everyone who can see the run reads this, so it can't say "your". */
function describeOrigin(origin: string | undefined): string {
  return origin === scopeWords.person ? "the creator's defaults" : (origin ?? '');
}

/** MCP servers by name only: they carry keys. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null) return Object.keys(value).join(', ');
  return typeof value === 'string' && value ? value : undefined;
}
