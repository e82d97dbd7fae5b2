import { ExplainedError } from 'base/explained-error';
import type { Logger } from 'base/logger';
import { withSoftTimeout } from 'base/time/soft-timeout';
import type { AppScopes } from '../config/app-scopes.ts';
import type { SlackTokens } from '../config/check-slack-config.ts';
import { fieldsOf } from '../slack/connection/deliveries/delivery-address.ts';
import { type CallSlack, createCallSlack } from './call-slack.ts';
import { type Check, type CheckContext, type Finding, saidBy } from './check.ts';
import { chooseChannel } from './choose-channel.ts';
import { cleanUp } from './clean-up.ts';
import { createPerson, type Terminal, untilStopped } from './person.ts';
import { createRecord } from './record.ts';
import { countOutcomes, type Report, type Reported } from './report.ts';
import { createCheckedBot } from './started-bot.ts';

type Deps = {
  tokens: SlackTokens;
  /** Scopes that the manifest requests. */
  scopes: AppScopes;
  version: string;
  checks: readonly Check[];
  /** True if a person can answer. Checks that need one are skipped otherwise. */
  isAttended: boolean;
  terminal: Terminal;
  /** ID of the channel to check in. Undefined lets the person choose a channel that the app is in. */
  channel: string | undefined;
  patienceMs: number;
  /** Ends the checks early. They still clean up and report. */
  signal: AbortSignal;
  logger: Logger;
};

const marks = { 'as assumed': '✓', differs: '✗', 'not decided': '–' } as const;
const notStarted = "the bot didn't start";

/**
 * Runs the checks, cleans up and returns the report.
 * @throws ExplainedError before anything is posted, if the token or the channel can't be used
 */
export async function runChecks(deps: Deps): Promise<Report> {
  const { tokens, signal, patienceMs, scopes, isAttended } = deps;
  const terminal = untilStopped(deps.terminal, signal);
  const { print } = terminal;
  const record = createRecord();
  const call = createCallSlack({ ...tokens, token: tokens.botToken, ...record.reports });
  const identity = await identify(call);
  const channel = deps.channel ?? (await chooseChannel(call, isAttended ? terminal : undefined));
  print(
    `Workspace ${identity.answer['team']}. What is posted is deleted at the end. Press Ctrl-C to stop early.\n`,
  );
  const bot = createCheckedBot({ ...tokens, record, logger: deps.logger });
  let starting: Promise<string> | undefined;
  async function tryToStart(): Promise<string> {
    const started = bot.start().then(
      () => 'ok',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    return (await withSoftTimeout(started, patienceMs * 2)) ?? notStarted;
  }
  const startBot = () => {
    starting ??= tryToStart();
    return starting;
  };
  const nobody: Terminal = { print: () => {}, readLine: async () => undefined };
  const context: CheckContext = {
    call,
    record,
    identity,
    scopes,
    channel,
    channelName: await nameOf(channel, call),
    startBot,
    patienceMs,
    signal,
    linkDomain: tokens.linkDomain,
    person: createPerson(isAttended ? terminal : nobody, { record, patienceMs, signal }),
  };
  const findings: Reported[] = [];
  for (const [at, check] of deps.checks.entries()) {
    if (signal.aborted) break;
    const { id, title } = check;
    print(`\n[${at + 1}/${deps.checks.length}] ${title} (${id})\n`);
    for await (const finding of findingsOf(check, context)) {
      findings.push({ check: id, title, ...finding });
      print(describe(finding));
    }
  }
  const isPartial = signal.aborted;
  print('\nCleaning up …\n');
  // Clean up even if the bot can't be stopped.
  await Promise.allSettled([bot.stop()]);
  const left = await cleanUp(record.all.calls, call);
  for (const each of left) print(`  Not deleted: ${each}\n`);
  if (isAttended) print('  Your own messages stay: delete them in Slack if you want.\n');
  print(`\n${countOutcomes(findings)}.\n`);
  return {
    slashAgent: deps.version,
    node: process.versions.node,
    at: new Date().toISOString(),
    workspace: String(identity.answer['team_id']),
    isPartial,
    findings,
    left,
  };
}

async function identify(call: CallSlack) {
  const { granted, ...answer } = await call('auth.test');
  if (answer['ok'] !== true)
    throw new ExplainedError(
      `Slack says ${saidBy(answer)} to SLACK_BOT_TOKEN. Run npx slash-agent doctor.`,
    );
  return { answer, granted };
}

async function nameOf(channel: string, call: CallSlack): Promise<string> {
  const answer = await call('conversations.info', { channel });
  if (answer['ok'] !== true)
    throw new ExplainedError(`Slack doesn't show the channel ${channel} (${saidBy(answer)}).`);
  return `#${fieldsOf(answer['channel'])['name']}`;
}

/** Runs a check. If the check throws, yields a finding with the outcome "not decided". */
async function* findingsOf(check: Check, context: CheckContext): AsyncGenerator<Finding> {
  const undecided = (said: string): Finding => ({
    assumption: check.title,
    outcome: 'not decided',
    said,
  });
  try {
    const started = check.needs === 'person' ? await context.startBot() : 'ok';
    if (started !== 'ok') return yield undecided(started);
    for await (const finding of check.run(context)) {
      yield finding;
      if (context.signal.aborted) return;
    }
  } catch (error) {
    yield undecided(error instanceof Error ? error.message : String(error));
  }
}

function describe({ assumption, outcome, said, means }: Finding): string {
  const lines = [
    `  ${marks[outcome]} ${assumption}: ${said}`,
    ...(means ? [`    → ${means}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
