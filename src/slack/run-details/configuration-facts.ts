import {
  type ConfigField,
  configFields,
  fieldWords,
  scopeWords,
} from '../configuration/run-defaults.ts';
import type { DetailedRun } from './detailed-run.ts';

export type Fact = [name: string, value: string | null | undefined | false];

/** These the service always has a value for, whether it tells it or not. */
const alwaysChosen = new Set<ConfigField>(['environment_id', 'model_id']);

/** Every value of the configuration with where it came from, as it was when the run was asked for. */
export function configurationFacts(detailed: DetailedRun): Fact[] {
  return configFields.map((field) => [fieldWords[field], fact(detailed, field)]);
}

/** What the service made of it counts; what was asked for is said beside it when that differs. */
function fact(detailed: DetailedRun, field: ConfigField): string | undefined {
  const { config, origin, run, ref } = detailed;
  const asked = said(config[field]);
  const taken = said(run?.agent_config?.[field]);
  // What was asked for elsewhere nobody knows here.
  if ('runId' in ref) return taken;
  const from = originWords(origin?.fields?.[field]);
  if (taken && taken !== asked) {
    const instead = asked ? `; asked for: ${asked}${from && `, ${from}`}` : '';
    return `${taken} (the service’s choice${instead})`;
  }
  if (asked) return `${asked}${from && ` (${from})`}`;
  return alwaysChosen.has(field) ? 'left to the service, which does not say' : undefined;
}

/** Other people see this too, so it can't say "your". */
function originWords(origin: string | undefined): string {
  return origin === scopeWords.person ? 'the creator’s own defaults' : (origin ?? '');
}

/** MCP servers by name only: they carry keys. */
function said(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null) return Object.keys(value).join(', ');
  return typeof value === 'string' && value ? value : undefined;
}
