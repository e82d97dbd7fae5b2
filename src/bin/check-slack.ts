import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { processEnvironment } from 'base/config/environment';
import { ExplainedError } from 'base/explained-error';
import { createLogger } from 'base/logger';
import { readArguments } from 'base/process/read-arguments';
import { firstSignal } from 'base/process/run-until-signaled';
import { checks } from '../check-slack/checks.ts';
import type { Terminal } from '../check-slack/person.ts';
import { reportAsJson, reportAsMarkdown } from '../check-slack/report.ts';
import { runChecks } from '../check-slack/run-checks.ts';
import { readAppScopes } from '../config/app-scopes.ts';
import { readSlackTokens } from '../config/check-slack-config.ts';

export const usage = `Usage: slash-agent check-slack [options]
  Compares Slack with what the app relies on, in a workspace for trying things. See docs/tested.md.
  It posts in one channel, asks you to do things in Slack, deletes what it posted, and writes a report without names
  or tokens. Needs SLACK_BOT_TOKEN and SLACK_APP_TOKEN. The exit code is 1 if something differs.
    --channel ID      a channel with the app to post in; by default the only one, or it asks
    --only 2,7        only these checks: ${checks.map(({ id }) => id).join(', ')}
    --report FOLDER   where check-slack.md and check-slack.json go; by default this folder
    --unattended      only what needs no person, as without a terminal`;

const options = {
  channel: { type: 'string' },
  only: { type: 'string' },
  report: { type: 'string', default: '.' },
  unattended: { type: 'boolean', default: false },
} as const;

const patienceMs = 15_000;

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(args, usage, options);
  if (positionals.length > 0) throw new ExplainedError(usage);
  const tokens = readSlackTokens(processEnvironment());
  const isAttended = process.stdin.isTTY === true && !values.unattended;
  const chosen = chooseChecks(values.only).filter(({ needs }) => isAttended || needs === 'nothing');
  if (chosen.length === 0)
    throw new ExplainedError(`All of these need a person at a terminal.\n${usage}`);
  const folder = values.report;
  prepare(folder);
  const stopping = new AbortController();
  void firstSignal().then(() => stopping.abort());
  const input = createInterface({ input: process.stdin, terminal: false });
  const lines = input[Symbol.asyncIterator]();
  const terminal: Terminal = {
    print: (text) => void process.stdout.write(text),
    readLine: async () => (await lines.next()).value?.trim(),
  };
  const report = await runChecks({
    tokens,
    scopes: readAppScopes(false),
    version: versionOf(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')),
    checks: chosen,
    isAttended,
    terminal,
    channel: values.channel,
    patienceMs,
    signal: stopping.signal,
    logger: createLogger('silent'),
  }).finally(() => input.close()); // Close the terminal input, because it would keep the process alive after an error.
  writeFileSync(join(folder, 'check-slack.json'), reportAsJson(report));
  writeFileSync(join(folder, 'check-slack.md'), reportAsMarkdown(report));
  terminal.print(`Report: ${join(folder, 'check-slack.md')} and check-slack.json\n`);
  // Exit explicitly, because database drivers may keep connections open for a while.
  process.exit(report.findings.some(({ outcome }) => outcome === 'differs') ? 1 : 0);
}

/** Makes sure that the report can be saved. Runs before the checks, because they can take an hour. */
function prepare(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ExplainedError(
      `No report can be written there (${reason}). Choose another --report.`,
    );
  }
}

function chooseChecks(only: string | undefined) {
  if (only === undefined) return checks;
  const ids = only.split(/\s*,\s*/);
  const unknown = ids.filter((id) => !checks.some((each) => each.id === id));
  if (unknown.length > 0) throw new ExplainedError(`There is no check ${unknown[0]}.\n${usage}`);
  return checks.filter(({ id }) => ids.includes(id));
}

const versionOf = (packageJson: string): string => JSON.parse(packageJson).version;
