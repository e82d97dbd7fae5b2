import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** Arguments of a command, with placeholders. A nested array is left out if one of its placeholders has no value. */
export type CommandTemplate = readonly (string | readonly string[])[];

/** Values of the placeholders, such as `{model}`. */
export type CommandValues = Partial<
  Record<
    | 'prompt'
    | 'prompt_file'
    | 'model'
    | 'base_prompt'
    | 'base_prompt_file'
    | 'mcp_config_file'
    | 'mcp_tools'
    | 'run_id'
    | 'session'
    | 'model_url'
    | 'model_token'
    | 'settings_file',
    string | undefined
  >
>;

const placeholder =
  /\{(prompt|prompt_file|model|base_prompt|base_prompt_file|mcp_config_file|mcp_tools|run_id|session|model_url|model_token|settings_file)\}/g;

/** Fills in the placeholders. No shell reads the result, so a value can't add arguments. */
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
 * Commands that run agents without a terminal, as documented in 2026. The prompt is on stdin. All agents print JSON
 * lines, which `steps/` reads. Values are joined to their options, so that a model named `--yolo` can't become an
 * option. Nobody can approve an action during a run. In a sandbox, agents can do everything that the sandbox allows.
 * Without a sandbox, they can edit files in the checkout.
 */
export const harnesses = {
  claude: {
    command: [
      'claude',
      '--print',
      '--output-format=stream-json',
      // Claude Code requires this option to print events as a stream.
      '--verbose',
      ['--model={model}'],
      ['--mcp-config={mcp_config_file}'],
      ['--allowedTools={mcp_tools}'],
      ['--settings={settings_file}'],
    ],
    resume: [['--resume={session}']],
    carefulArguments: ['--permission-mode=acceptEdits'],
    sandboxedArguments: ['--permission-mode=bypassPermissions'],
    // Options are documented at https://code.claude.com/docs/en/cli-reference
  },
  codex: {
    // Skip Codex's check for a repository. With several repositories, the agent starts in the folder above them,
    // which isn't a repository.
    command: ['codex', 'exec', '--json', '--skip-git-repo-check', ['--model={model}']],
    resume: [['resume', '{session}', '-']],
    carefulArguments: ['--sandbox=workspace-write'],
    // Turn off Codex's own sandbox. It can't start inside the environment's sandbox, so no command would run.
    sandboxedArguments: ['--dangerously-bypass-approvals-and-sandbox'],
    // Options are documented at https://developers.openai.com/codex/noninteractive
  },
  gemini: {
    // Skip the trust check. Gemini CLI would exit with code 55 in a folder that nobody has trusted in its terminal.
    command: ['gemini', '--output-format=stream-json', '--skip-trust', ['--model={model}']],
    resume: [['--resume={session}']],
    carefulArguments: ['--approval-mode=auto_edit'],
    sandboxedArguments: ['--approval-mode=yolo'],
    // Options are documented at https://geminicli.com/docs/cli/headless
  },
  opencode: {
    command: [
      'opencode',
      'run',
      '--format=json',
      // Print errors, because OpenCode retries a failing model forever and reports that only in its log.
      '--print-logs',
      '--log-level=ERROR',
      ['--model={model}'],
    ],
    resume: [['--session={session}']],
    carefulArguments: [],
    sandboxedArguments: ['--auto'],
    // Options are documented at https://opencode.ai/docs/cli
  },
} as const satisfies Record<
  string,
  {
    command: CommandTemplate;
    /** Arguments at the end of the command that make the agent continue a session. */
    resume: CommandTemplate;
    /** Arguments for an environment without a sandbox. */
    carefulArguments: readonly string[];
    sandboxedArguments: readonly string[];
  }
>;

export type HarnessName = keyof typeof harnesses;

/**
 * Returns true if the program exists, in PATH or relative to `folder`. Without `folder`, a program with a relative path
 * is assumed to exist.
 */
export function isInstalled(program: string, path: string, folder?: string): boolean {
  const isFile = program.includes('/');
  if (isFile && !isAbsolute(program) && folder === undefined) return true;
  const files = isFile
    ? [resolve(folder ?? '', program)]
    : path.split(delimiter).map((each) => join(each, program));
  return files.some((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
