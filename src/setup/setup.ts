import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Environment } from 'base/config/environment';
import { ExplainedError } from 'base/explained-error';
import type { AppScopes } from '../config/app-scopes.ts';
import { settings as botSettings } from '../config/variables.ts';
import { describeFindings, isHealthy } from '../doctor/report.ts';
import { runDiagnostics } from '../doctor/run-diagnostics.ts';
import { askForAgents, type NewEnvironments } from './ask-for-agents.ts';
import { askForTokens } from './ask-for-tokens.ts';
import { type SettingChanges, withSettings } from './env-file.ts';
import type { Prompts } from './prompts.ts';

type SetupDeps = {
  prompts: Prompts;
  /** Variables of the process and the `.env` file. */
  variables: Environment;
  /** Folder of the `.env` file. */
  folder: string;
  nodeVersion: string;
  /** The bot's scopes in the manifest. */
  scopes: AppScopes;
  /** Renders the manifest with cards for links to these domains. */
  manifestFor(unfurlDomains: readonly string[]): string;
};

/**
 * Asks for the settings of a bot in one workspace, then saves and checks them. Writes nothing before the last answer.
 * Returns true if the doctor finds no problems.
 * @throws ExplainedError if the folder can't be written, or the input ends
 */
export async function setUp(deps: SetupDeps): Promise<boolean> {
  const { prompts, folder, variables, scopes } = deps;
  assertWritable(folder);
  const known = botSettings.valuesOf(variables);
  if (known['PUBLIC_URL'] && !known['SLACK_BOT_TOKEN'])
    throw new ExplainedError(
      'Setup is for one workspace, but PUBLIC_URL is set. For many, see docs/deploy.md.',
    );
  prompts.print(
    `This sets up slash-agent in ${folder}. Nothing is saved before the last answer.\nPress Enter to keep what is in [brackets].\n\n`,
  );
  const runs = await askForAgents({ prompts, known, folder });
  const settings = { ...known, ...runs.settings };
  const tokens = await askForTokens({ ...deps, known: settings });
  const changes = { ...runs.settings, ...tokens };
  const envFile = join(folder, '.env');
  save(envFile, { folder, changes, environments: runs.environments });
  prompts.print(`\nSaved ${envFile}, which only you can read. Checking everything …\n\n`);
  const findings = await runDiagnostics({
    variables: { ...variables, ...changes },
    envFile,
    nodeVersion: deps.nodeVersion,
    scopes,
    now: Date.now,
  });
  prompts.print(describeFindings(findings));
  prompts.print(
    isHealthy(findings)
      ? 'Start the bot with "npx slash-agent start". Then type /agent help in Slack.\n'
      : 'Do what the arrows say, then run "npx slash-agent doctor".\n',
  );
  return isHealthy(findings);
}

function assertWritable(folder: string): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new ExplainedError(`This user can't write ${folder}. Run setup in another folder.`, {
      cause: error,
    });
  }
}

type Saved = {
  folder: string;
  changes: SettingChanges;
  environments?: NewEnvironments | undefined;
};

/** Saves secrets first, because the other files refer to them. */
function save(envFile: string, { folder, changes, environments }: Saved): void {
  const before = existsSync(envFile) ? readFileSync(envFile, 'utf8') : newEnvFile;
  const after = withSettings(before, changes);
  if (environments) {
    const { file, text, key } = environments;
    const home = dirname(resolve(folder, file));
    if (key) writePrivate(resolve(home, key.file), `${key.value}\n`);
    writePrivate(join(home, file.split('/').at(-1) ?? ''), text);
  }
  writePrivate(envFile, after);
}

const newEnvFile = '# Written by slash-agent setup. All settings: docs/configuration.md\n';

/** Writes a file that only this user can read. Renames it into place, so that it's never incomplete. */
function writePrivate(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, file);
}
