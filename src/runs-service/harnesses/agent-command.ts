import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** An argument, or several that are only given when every value that they name is there. */
export type CommandTemplate = readonly (string | readonly string[])[];

/** What a template can name, as in `{model}`. */
export type CommandValues = Partial<
  Record<
    | 'prompt'
    | 'prompt_file'
    | 'model'
    | 'base_prompt'
    | 'base_prompt_file'
    | 'mcp_config_file'
    | 'mcp_tools'
    | 'run_id',
    string
  >
>;

const placeholder =
  /\{(prompt|prompt_file|model|base_prompt|base_prompt_file|mcp_config_file|mcp_tools|run_id)\}/g;

/** The argv array of a run. A value becomes part of one argument, whatever is in it: no shell reads it. */
export function fillCommand(template: CommandTemplate, values: CommandValues): string[] {
  const isKnown = (name: string): name is keyof CommandValues => name in values;
  const fill = (argument: string) =>
    argument.replace(placeholder, (_, name: string) => (isKnown(name) ? (values[name] ?? '') : ''));
  const isGiven = (argument: string) =>
    [...argument.matchAll(placeholder)].every(
      ([, name = '']) => isKnown(name) && values[name] !== undefined,
    );
  return template.flatMap((part) => {
    if (typeof part === 'string') return [fill(part)];
    return part.every(isGiven) ? part.map(fill) : [];
  });
}

export const programOf = (template: CommandTemplate): string => [template[0] ?? ''].flat()[0] ?? '';

/**
 * The command lines of agents that run without a terminal, as their makers document them in 2026. The prompt goes over
 * stdin and values are joined to their options: a model named `--yolo` must never become an option of its own. What
 * differs between installations (permissions above all) is given as `arguments`. All report what they do as lines of
 * JSON; see `agent-steps/`. What they read from files, MCP servers above all, is in `harness-input.ts`.
 */
export const harnesses = {
  claude: {
    command: [
      'claude',
      '--print',
      '--output-format=stream-json',
      // Claude refuses to stream events without it.
      '--verbose',
      ['--model={model}'],
      // By file: Linux takes at most 128 KiB for one argument.
      ['--append-system-prompt-file={base_prompt_file}'],
      ['--mcp-config={mcp_config_file}'],
      ['--allowedTools={mcp_tools}'],
    ],
    prependBasePrompt: false,
    defaultArguments: ['--permission-mode', 'acceptEdits'],
    // https://code.claude.com/docs/en/cli-reference
  },
  codex: {
    // With several repositories it runs in the folder above them, which is no repository.
    command: ['codex', 'exec', '--json', '--skip-git-repo-check', ['--model={model}']],
    prependBasePrompt: false,
    defaultArguments: ['--sandbox', 'workspace-write'],
    // https://developers.openai.com/codex/noninteractive
  },
  gemini: {
    // Without `--skip-trust` it exits with 55 in a folder that nobody has trusted in its terminal.
    command: ['gemini', '--output-format=stream-json', '--skip-trust', ['--model={model}']],
    prependBasePrompt: true,
    defaultArguments: ['--approval-mode', 'auto_edit'],
    // https://geminicli.com/docs/cli/headless
  },
  opencode: {
    command: [
      'opencode',
      'run',
      '--format=json',
      // It tries for ever to reach a model, and says so only in its log.
      '--print-logs',
      '--log-level=ERROR',
      ['--model={model}'],
    ],
    prependBasePrompt: false,
    defaultArguments: [],
    // https://opencode.ai/docs/cli
  },
} as const satisfies Record<
  string,
  { command: CommandTemplate; prependBasePrompt: boolean; defaultArguments: readonly string[] }
>;

export type HarnessName = keyof typeof harnesses;

/** Whether a program can be found where commands are looked for; one that lies in an unknown folder is believed. */
export function isInstalled(program: string, path: string, folder?: string): boolean {
  const isPlace = program.includes('/');
  if (isPlace && !isAbsolute(program) && folder === undefined) return true;
  const places = isPlace
    ? [resolve(folder ?? '', program)]
    : path.split(delimiter).map((each) => join(each, program));
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
