import { ExplainedError } from 'base/explained-error';

/** A command of `slash-agent`, which is a module in `src/bin/`. */
export type Command = {
  /** Text printed by `--help` for this command. */
  usage: string;
  /** @throws ExplainedError that says what is wrong with the arguments or the installation */
  run(args: readonly string[]): Promise<void>;
};

type Entry = { about: string; load(): Promise<Command> };

/** All commands by name. Each is loaded only when it's used. */
export const commands: Record<string, Entry> = {
  setup: {
    about: 'ask for the settings and check them',
    load: () => import('./setup.ts'),
  },
  start: { about: 'start the bot', load: () => import('./start.ts') },
  doctor: { about: 'find what is wrong', load: () => import('./doctor.ts') },
  'check-slack': {
    about: 'compare a real Slack with what the app relies on',
    load: () => import('./check-slack.ts'),
  },
  manifest: {
    about: 'print the manifest of the Slack app',
    load: () => import('./manifest.ts'),
  },
  'runs-service': {
    about: 'start the runs service alone, or manage its keys and runs',
    load: () => import('runs-service/commands/serve'),
  },
  try: {
    about: 'run a prompt once in an environment',
    load: () => import('runs-service/commands/try'),
  },
  backup: { about: 'copy a SQLite database', load: () => import('./backup.ts') },
  restore: { about: 'put a backup back', load: () => import('./restore.ts') },
  keys: { about: 'replace the encryption key', load: () => import('./keys.ts') },
  people: {
    about: "export or delete a person's data",
    load: () => import('./people.ts'),
  },
  automations: {
    about: 'export automations, or apply a file of them',
    load: () => import('./automations.ts'),
  },
  audit: { about: 'export the audit log', load: () => import('./audit.ts') },
  usage: {
    about: 'export the cost of model calls, or print prices',
    load: () => import('runs-service/commands/usage'),
  },
  'run-one': {
    about: 'execute one run for a runs service elsewhere',
    load: () => import('runs-service/commands/run-one'),
  },
};

const nameWidth = 14;

function listCommands(): string {
  const lines = Object.entries(commands).map(
    ([name, { about }]) => `  ${name.padEnd(nameWidth)}${about}`,
  );
  return `Usage: slash-agent <command> [options]\n\n${lines.join('\n')}\n\nOptions of a command: slash-agent <command> --help`;
}

const isHelp = (word: string | undefined) => word === '--help' || word === '-h';

/**
 * Runs a command of `slash-agent`.
 * @param print writes text to standard output
 * @throws ExplainedError if there is no such command, or the command throws it
 */
export async function runCommand(
  [name, ...args]: readonly string[],
  print: (text: string) => void,
): Promise<void> {
  if (isHelp(name) || name === 'help') return print(`${listCommands()}\n`);
  const entry = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!entry) {
    const problem = name === undefined ? '' : `There is no command "${name}".\n\n`;
    throw new ExplainedError(`${problem}${listCommands()}`);
  }
  const command = await entry.load();
  if (args.some(isHelp)) print(`${command.usage}\n`);
  else await command.run(args);
}
