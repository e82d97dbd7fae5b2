import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** Arguments of a command. A nested array is left out if a value that it names is missing. */
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
    | 'session',
    string | undefined
  >
>;

const placeholder =
  /\{(prompt|prompt_file|model|base_prompt|base_prompt_file|mcp_config_file|mcp_tools|run_id|session)\}/g;

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
 * Commands of agents without a terminal, as documented in 2026. The prompt is on stdin, and all agents print JSON
 * lines, see `steps/`. Values are joined to their options, so that a model named `--yolo` can't become an option.
 * Nobody can approve anything during a run. In a sandbox, agents can do everything that it allows. Without one, they
 * can edit files in the checkout.
 */
export const harnesses = {
  claude: {
    command: [
      'claude',
      '--print',
      '--output-format=stream-json',
      // Required to print events as a stream.
      '--verbose',
      ['--model={model}'],
      ['--mcp-config={mcp_config_file}'],
      ['--allowedTools={mcp_tools}'],
    ],
    resume: [['--resume={session}']],
    carefulArguments: ['--permission-mode=acceptEdits'],
    sandboxedArguments: ['--permission-mode=bypassPermissions'],
    // Options are documented at https://code.claude.com/docs/en/cli-reference
  },
  codex: {
    // With several repositories, the folder above them isn't a repository.
    command: ['codex', 'exec', '--json', '--skip-git-repo-check', ['--model={model}']],
    resume: [['resume', '{session}', '-']],
    carefulArguments: ['--sandbox=workspace-write'],
    // Codex's own sandbox can't start inside ours, so no command would run.
    sandboxedArguments: ['--dangerously-bypass-approvals-and-sandbox'],
    // Options are documented at https://developers.openai.com/codex/noninteractive
  },
  gemini: {
    // Without this option, Gemini exits with 55 in a folder that nobody trusted in its terminal.
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
      // OpenCode retries a failing model forever, and reports that only in its log.
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
    /** Last arguments, which make the agent continue a session. */
    resume: CommandTemplate;
    /** Arguments for an environment without a sandbox. */
    carefulArguments: readonly string[];
    sandboxedArguments: readonly string[];
  }
>;

export type HarnessName = keyof typeof harnesses;

/** Returns true if a program exists in PATH or `folder`. Without a folder, assumes that a relative path exists. */
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
