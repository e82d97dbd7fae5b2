/** Reads the options of `/agent`: `key=value` before the prompt, and `--dry-run` before it or as its last word. */

import type { AgentConfig } from 'runs-client/contract';
import type { Settings } from '../../store/people/settings.ts';
import type { Asker } from '../people/setting.ts';
import { code } from '../text/escape-text.ts';
import { findPreset, noSuchPreset, type Preset, presetOrigin } from './presets.ts';
import {
  isSkillSpec,
  type ResolvedConfig,
  readDefaultLayers,
  resolveConfig,
  skillSpecProblem,
} from './run-defaults.ts';

const optionKeys = ['env', 'model', 'name', 'skill', 'preset', 'title', 'connection'] as const;
type OptionKey = (typeof optionKeys)[number];
export type AgentOptions = Partial<Record<OptionKey, string>>;

/** Result of reading options: the options and the rest of the text, or a problem in mrkdwn. */
type ReadOptions =
  | { ok: true; options: AgentOptions; dryRun: boolean; rest: string }
  | { ok: false; problem: string };

const isKey = (text: string): text is OptionKey => (optionKeys as readonly string[]).includes(text);

/** Matches a flag before the prompt. Accepts dashes, because phones turn two hyphens into one. */
const flagPattern = /^(?:--|—|–)([A-Za-z][\w-]*)(?=\s|$)/;
const endOfOptions = /^(?:--|—)(?=\s|$)/;
/** Matches `--dry-run` at the end of the prompt. People also type it there, and otherwise a run would start. */
const lastDryRun = /(?:^|\s)(?:--|—|–)dry-run$/i;
const keyPattern = /^([A-Za-z][\w-]*)=(?!=)/;

/** Splits the typed text into options and the prompt, which is `rest`. */
export function readOptions(text: string): ReadOptions {
  const options: AgentOptions = {};
  let dryRun = false;
  let index = skipSpace(text, 0);
  for (;;) {
    const rest = text.slice(index);
    const end = endOfOptions.exec(rest);
    if (end) return { ok: true, options, dryRun, rest: rest.slice(end[0].length).trim() };
    const flag = flagPattern.exec(rest);
    if (flag) {
      if (flag[1]?.toLowerCase() !== 'dry-run') return wrong(unknownFlag(flag[0]));
      dryRun = true;
      index = skipSpace(text, index + flag[0].length);
      continue;
    }
    const key = keyPattern.exec(rest)?.[1];
    if (!key) {
      const prompt = rest.trim();
      const isLast = lastDryRun.test(prompt);
      const wanted = isLast ? prompt.replace(lastDryRun, '').trim() : prompt;
      return { ok: true, options, dryRun: dryRun || isLast, rest: wanted };
    }
    const name = key.toLowerCase();
    if (!isKey(name)) return wrong(unknownKey(key));
    if (options[name] !== undefined) return wrong(`\`${name}=\` is set twice.`);
    const value = readValue(text, index + key.length + 1);
    if (!value) return wrong(`The closing quote of \`${name}=\` is missing.`);
    if (!value.text) return wrong(`\`${name}=\` has no value.`);
    options[name] = value.text;
    index = skipSpace(text, value.end);
  }
}

/** Opening quotes, each with the quotes that can close it. Phones and languages mix them. */
const quotes: [opens: string, closes: string][] = [
  ['"“”„‟«', '"“”‟»'],
  ["'‘’‚‛", "'‘’‛"],
];

/** Reads a value with or without quotes. Returns undefined if the closing quote is missing. */
function readValue(text: string, start: number): { text: string; end: number } | undefined {
  const opening = text.charAt(start);
  const closes = opening && quotes.find(([opens]) => opens.includes(opening))?.[1];
  if (!closes) {
    const [bare = ''] = /^\S*/.exec(text.slice(start)) ?? [];
    return { text: bare, end: start + bare.length };
  }
  let value = '';
  for (let index = start + 1; index < text.length; index += 1) {
    const character = text.charAt(index);
    const next = text.charAt(index + 1);
    if (character === '\\' && (closes.includes(next) || next === '\\') && next) {
      value += next;
      index += 1;
    } else if (closes.includes(character) && (next === '' || /\s/.test(next))) {
      return { text: value.trim(), end: index + 1 };
    } else value += character;
  }
  return undefined;
}

function skipSpace(text: string, index: number): number {
  return index + (/^\s*/.exec(text.slice(index))?.[0].length ?? 0);
}

const allKeys = optionKeys.map((key) => `\`${key}=\``).join(', ');
const escapeHint = 'If this is part of the prompt, put `-- ` before the prompt.';
const unknownKey = (key: string) =>
  `There's no option ${code(`${key}=`, 60)}. Use ${allKeys}. ${escapeHint}`;
const unknownFlag = (flag: string) =>
  `There's no option ${code(flag, 60)}, only \`--dry-run\`. ${escapeHint}`;

const wrong = (problem: string): ReadOptions => ({ ok: false, problem });

/** Configuration and preset that were typed, or a problem in mrkdwn. */
type TypedConfig =
  | { ok: true; config: AgentConfig; preset: Preset | undefined }
  | { ok: false; problem: string };

/** Turns typed options into a configuration and a preset. */
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

/**
 * Returns the configuration for typed options, completed by their preset and by the workspace's, channel's and person's
 * defaults.
 */
export async function resolveTyped(
  settings: Pick<Settings, 'readLayers'>,
  asker: Asker,
  { config, preset }: Extract<TypedConfig, { ok: true }>,
): Promise<ResolvedConfig> {
  return resolveConfig([
    ...(await readDefaultLayers(settings, asker)),
    ...(preset ? [{ origin: presetOrigin(preset), config: preset.config }] : []),
    { origin: 'typed', config },
  ]);
}
